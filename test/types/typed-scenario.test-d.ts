import { expectTypeOf } from 'vitest';
import { createMock, defineScenarios, type MockOptions, type RuleDefinition, type TypedRule } from '../../src/index.js';
import type * as Theirs from './stations-openapi-typescript.js';
import type * as Ours from './stations-vouch.js';

const spec = 'test/types/stations.yaml';

// Both files type the answers of rules, by id and by path.
defineScenarios<Ours.operations>({
  open: { description: 'every part of an answer', vars: { next: 'a' }, extends: ['base'], state: { stations: {} } },
  answers: {
    operations: {
      listStations: [
        { times: 1, respond: { body: { data: [{ name: 'Berlin', level: 'high' }] } } },
        { when: { query: { limit: 2 } }, respond: { status: 200, headers: { 'X-Total': 2, 'x-other': ['a', 'b'] } } },
        { respond: { status: 404, body: { title: 'gone' } }, delay: '1s', fault: 'truncate' },
        { respond: { status: 503, example: 'down', mediaType: 'application/problem+json' } },
      ],
      createStation: { respond: { status: 422, body: { title: 'wrong', 7: true } } },
      'stations/read': { respond: { mediaType: 'text/csv', body: 'id,name' } },
      uploadPhoto: { respond: { body: 'bytes' } },
      '*': { respond: { status: 418, body: [1] } },
      // An operation without types.
      'DELETE /stations/{station_id}': { respond: { status: 599, body: { any: 'body' } } },
    },
  },
});
defineScenarios<Theirs.paths>({
  a: {
    operations: {
      'GET /stations': { respond: { status: 200, body: { data: [] }, headers: { 'X-Total': '2' } } },
      'POST /stations': {
        sequence: [{ status: 422, body: { title: 'no' }, fault: 'reset' }, 'engine', {}],
        onEnd: 'hold',
      },
      // A response without declared content takes any body.
      'DELETE /stations/{station_id}': { respond: { status: 204, body: { any: 'body' } } },
    },
  },
});

// A runtime expression can stand for any value, at any depth.
defineScenarios<Ours.operations>({
  a: {
    vars: { ids: [], page: {} },
    operations: {
      listStations: [
        { respond: { body: '$vars.page' } },
        { respond: { body: { data: '$vars.ids', next: 'after {$request.query.after}' } } },
        {
          respond: {
            body: { data: [{ platforms: '$request.query.limit', position: '$vars.ids', kind: '$vars.kind' }] },
            headers: { 'X-Total': '$vars.total' },
          },
        },
        { respond: { body: { data: [{ level: '{$vars.level}', vehicle: { type: '$vars.type' } }, '$vars.first'] } } },
      ],
      createStation: {
        patch: { body: { name: '$request.body#/name', position: null, tags: { a: null, b: '$vars.b' } } },
      },
    },
  },
});

// A rule that says why it breaks the contract can answer anything.
defineScenarios<Ours.operations>({
  a: { operations: { createStation: [{ violates: 'a proxy', respond: { status: 502, body: '<html>' } }] } },
});
expectTypeOf<TypedRule<never>>().toEqualTypeOf<RuleDefinition>();

defineScenarios<Ours.operations>({
  a: {
    operations: {
      // @ts-expect-error -- only 201 and 422 are declared
      createStation: { respond: { status: 500 } },
      // @ts-expect-error -- a name is a string
      listStations: { respond: { body: { data: [{ name: 1 }] } } },
    },
  },
  b: {
    operations: {
      // @ts-expect-error -- a station has no such property
      createStation: { respond: { body: { colour: 'red' } } },
      // @ts-expect-error -- 404 answers a problem, not a page
      listStations: { respond: { status: 404, body: { data: [] } } },
    },
  },
  c: {
    operations: {
      // @ts-expect-error -- the total is a number
      listStations: { respond: { headers: { 'X-Total': 'many' } } },
      // @ts-expect-error -- not the form of an expression
      createStation: { respond: { body: { platforms: 'request.query.limit' } } },
    },
  },
  d: {
    operations: {
      // @ts-expect-error -- a step answers a declared status
      createStation: { sequence: [{ status: 404 }] },
      // @ts-expect-error -- a patched page has stations
      listStations: { patch: { body: { data: [{ name: 1 }] } } },
    },
  },
});
// @ts-expect-error -- a problem is not a station
defineScenarios<Theirs.operations>({ a: { operations: { createStation: { respond: { body: { title: 'x' } } } } } });
// @ts-expect-error -- only 201 and 422 are declared
defineScenarios<Theirs.paths>({ a: { operations: { 'POST /stations': { patch: { status: 404 } } } } });

{
  const scenarios = defineScenarios<Ours.operations>({ busy: { operations: { listStations: { times: 1 } } } });
  const mock = await createMock<Ours.operations>({ spec, scenarios: { from: scenarios, active: 'busy' } });
  mock.scenarios.add('gone', { operations: { listStations: { respond: { status: 404, body: { title: 'gone' } } } } });
  // @ts-expect-error -- only 201 and 422 are declared
  mock.scenarios.add('down', { operations: { createStation: { respond: { status: 500 } } } });
  // @ts-expect-error -- there is no such operation
  mock.scenarios.add('down', { operations: { createStations: { times: 1 } } });
  const wrong = {
    spec,
    scenarios: { a: { operations: { listStations: { respond: { status: 404 as const, body: { name: 'x' } } } } } },
  };
  // @ts-expect-error -- a problem has no name
  await createMock<Ours.operations>(wrong);
}
{
  // Without types, rules can be anything that a file can be.
  const mock = await createMock({
    spec,
    scenarios: { a: { operations: { any: { respond: { status: 299, body: 1 } } } } },
  });
  mock.scenarios.add('b', { operations: { any: { respond: { status: 299 } } } });
}
export const scenarios: MockOptions<Ours.paths>['scenarios'] = {
  from: { a: { operations: { 'POST /stations': { respond: { status: 201, body: { id: 'a' } } } } } },
};
