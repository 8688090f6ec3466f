import { describe, expect, it } from 'vitest';
import { finds, inPath, json, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Reply, type Shop } from '../state/shop.js';

const DONE = { responses: { 204: { description: 'done' } } };

const open = (verbs: readonly string[], properties: object, answer: object = shows(ref('Boiler'))): Promise<Shop> =>
  openShop({
    spec: toDocument(
      {
        '/boilers': { get: shows(arrayOf(ref('Boiler'))), post: takes(object({ name: TEXT }), ref('Boiler'), 201) },
        '/boilers/{boiler_id}': { ...inPath('boiler_id'), get: shows(ref('Boiler')), delete: REMOVED },
        ...Object.fromEntries(
          verbs.map((verb) => [`/boilers/{boiler_id}/${verb}`, { ...inPath('boiler_id'), post: answer }]),
        ),
      },
      { Boiler: object({ id: TEXT, name: TEXT, ...properties }, 'id') },
    ),
    state: { unknownIds: 'not-found' },
  });

const ofStatus = (...values: readonly string[]): Part => ({ status: { ...TEXT, enum: values, readOnly: true } });

/** The boiler after some actions, as it is read. */
const act = async (verbs: readonly string[], properties: object, answer?: object): Promise<Reply['body']> => {
  const { send } = await open(verbs, properties, answer);
  const { body } = await send('POST', '/boilers', { name: 'old' });
  for (const verb of verbs) await send('POST', `/boilers/${String(body['id'])}/${verb}`);
  return (await send('GET', `/boilers/${String(body['id'])}`)).body;
};

describe('an action', () => {
  it.each([
    [['pause'], ['ON', 'PAUSE_FAILED', 'PAUSED'], 'PAUSED'],
    [['pause'], ['ON', 'PAUSE_FAILED', 'PAUSING'], 'PAUSING'],
    [['pause'], ['ON', 'PAUSE_FAILED', 'PAUSE_REQUESTED'], 'PAUSE_REQUESTED'],
    [['end'], ['active', 'endorsed', 'ended'], 'ended'],
    [['fail'], ['active', 'failed'], 'failed'],
    [['restore'], ['active', 'restoring', 'restore_error'], 'active'],
    [['restore'], ['idle', 'restoring', 'restore_error'], 'restoring'],
    [['deactivate', 'reactivate'], ['active', 'inactive', 'pending'], 'active'],
    [['disable', 're-enable'], ['enabled', 'disabled'], 'enabled'],
    [['disable', 'reenable'], ['enabled', 'disabled'], 'enabled'],
    [['ban', 'unban'], ['pending', 'active', 'banned'], 'active'],
    [['archive', 'unarchive'], ['draft', 'archived'], 'draft'],
    [['mark-as-serviced'], ['new', 'serviced'], 'serviced'],
    [['actions/power_off'], ['on', 'off', 'starting'], 'off'],
    [['poweroff', 'power-on'], ['started', 'stopped', 'running'], 'running'],
    [['status/shutdown'], ['running', 'shutting_down', 'stopped'], 'stopped'],
  ])('%j moves a status of %j to "%s"', async (verbs, values, wanted) => {
    expect(await act(verbs, ofStatus(...values))).toMatchObject({ name: 'old', status: wanted });
  });

  it('leads to no status that says it failed, where there is no other', async () => {
    const values = ['on', 'pause_failed', 'pause_rejected'];
    expect(await act(['pause'], ofStatus(...values))).toMatchObject({ status: 'on' });
  });

  it.each([
    ['connect', true],
    ['disconnect', false],
    ['deactivate', false],
  ])('"%s" sets the flag of its verb to %s', async (verb, wanted) => {
    const name = verb === 'deactivate' ? 'activated' : 'connected';
    expect(await act([verb], { [name]: BOOLEAN })).toMatchObject({ [name]: wanted });
  });

  it.each([
    [['enable'], 'is_active', true],
    [['enable', 'disable'], 'is_active', false],
    [['deactivate'], 'inactive', true],
    [['deactivate', 'activate'], 'inactive', false],
    [['disable'], 'disabled', true],
    [['disable', 'enable'], 'disabled', false],
    // The name of another action says nothing of the flag.
    [['deactivate', 'rename'], 'inactive', true],
  ])('%j leaves the flag "%s" %s', async (verbs, name, wanted) => {
    expect((await act(verbs, { [name]: BOOLEAN }))[name]).toBe(wanted);
  });

  it.each([
    [['close'], { completed: BOOLEAN }, { completed: true }],
    [['close', 'reopen'], { is_completed: BOOLEAN }, { is_completed: false }],
    // One that has the name of the verb says more.
    [['close'], { completed: BOOLEAN, closed: BOOLEAN }, { completed: false, closed: true }],
    [['turn_on'], { enabled: BOOLEAN }, { enabled: true }],
    [['on', 'off'], { enabled: BOOLEAN }, { enabled: false }],
    [['make-default'], { is_default: BOOLEAN, made: BOOLEAN }, { is_default: true }],
    [['report'], { closed: BOOLEAN, is_default: BOOLEAN }, { closed: false, is_default: false }],
    [['suspend'], { suspended: { enum: ['suspended', 'not_suspended'] } }, { suspended: 'suspended' }],
    [['suspend', 'resume'], { suspended: { enum: ['suspended', 'not_suspended'] } }, { suspended: 'not_suspended' }],
    // The status by the usual name is asked first, then others.
    [
      ['halt'],
      { status: { enum: ['idle', 'ready'] }, power_state: { enum: ['on', 'halted'] } },
      { power_state: 'halted' },
    ],
    [['halt'], { power_state: { enum: ['on', 'halted'] }, status: { enum: ['idle', 'halted'] } }, { status: 'halted' }],
  ])('%j of %j leads to %j', async (verbs, properties, wanted) => {
    expect(await act(verbs, properties)).toMatchObject(wanted);
  });

  it('below "actions" acts on the item, whatever task it answers, and a copy there is a copy', async () => {
    const task = { responses: { 201: json(object({ task: object({ id: TEXT, command: TEXT }) })) } };
    expect(await act(['actions/light'], ofStatus('idle', 'lit', 'lighted'), task)).toMatchObject({ status: 'lighted' });
    expect(await act(['parts/light'], ofStatus('idle', 'lighted'), task)).toMatchObject({ status: 'idle' });
    const { send } = await open(['actions/replicate'], {});
    const { body } = await send('POST', '/boilers', { name: 'old' });
    const copied = await send('POST', `/boilers/${String(body['id'])}/actions/replicate`);
    expect(copied.body).toMatchObject({ name: 'old' });
    expect(copied.body['id']).not.toBe(body['id']);
  });

  it('is undone by a DELETE of its path, where the PUT there has an effect', async () => {
    const { send } = await openShop({
      spec: toDocument(
        {
          '/boilers': { post: takes(object({ name: TEXT }), ref('Boiler'), 201) },
          '/boilers/{id}': { ...inPath('id'), get: shows(ref('Boiler')), delete: REMOVED },
          '/boilers/{id}/lock': { ...inPath('id'), put: DONE, delete: DONE },
          '/boilers/{id}/logo': { ...inPath('id'), put: DONE, delete: DONE },
        },
        { Boiler: object({ id: TEXT, name: TEXT, locked: BOOLEAN }, 'id') },
      ),
    });
    const path = `/boilers/${String((await send('POST', '/boilers', { name: 'old' })).body['id'])}`;
    await send('PUT', `${path}/lock`);
    expect((await send('GET', path)).body).toMatchObject({ locked: true });
    await send('DELETE', `${path}/logo`);
    expect((await send('GET', path)).body).toMatchObject({ locked: true });
    await send('DELETE', `${path}/lock`);
    expect((await send('GET', path)).body).toMatchObject({ name: 'old', locked: false });
  });

  it('whose letters only begin like those of an undoing verb undoes nothing', async () => {
    expect(await act(['deliver'], { ...ofStatus('new', 'delivered'), livered: BOOLEAN })).toMatchObject({
      status: 'delivered',
    });
    expect(await act(['report'], ofStatus('new', 'ported'))).toMatchObject({ status: 'new' });
    expect(await act(['resend'], ofStatus('new', 'sent'))).toMatchObject({ status: 'new' });
  });
});

describe('an action in the body of a request', () => {
  const Boiler = object({ id: TEXT, name: TEXT, ...ofStatus('on', 'off', 'closed'), last_event: TEXT }, 'id');
  const verb = (name: string, values: readonly string[]): Part => ({ [name]: { enum: values } });
  const openBody = (sent: Part, answer: object): Promise<Shop> =>
    openShop({
      spec: toDocument(
        {
          '/boilers': { post: takes(object({ name: TEXT }), ref('Boiler'), 201) },
          '/boilers/{id}': {
            ...inPath('id'),
            get: shows(ref('Boiler')),
            put: takes(object({ name: TEXT, ...sent }), ref('Boiler')),
          },
          '/boilers/{id}/action': { ...inPath('id'), post: { ...sends(object(sent)), ...answer } },
        },
        { Boiler },
      ),
    });

  it.each([
    ['action', ['poweroff', 'clean'], { action: 'poweroff' }, 'off'],
    ['state_event', ['close', 'reopen'], { state_event: 'close' }, 'closed'],
    ['action', ['poweroff', 'clean'], { action: 'clean' }, 'on'],
    // A member that is no action, and one that the item has.
    ['reason', ['close'], { reason: 'close' }, 'on'],
    ['last_event', ['close'], { last_event: 'close' }, 'on'],
  ])('"%s" of %j: %j leads to "%s"', async (name, values, sent, wanted) => {
    for (const [method, below] of [
      ['POST', '/action'],
      ['PUT', ''],
    ] as const) {
      const { send } = await openBody(verb(name, values), {
        responses: { 202: json(object({ task: object({ id: TEXT }) })) },
      });
      const path = `/boilers/${String((await send('POST', '/boilers', { name: 'old' })).body['id'])}`;
      await send(method, path + below, below === '' ? { name: 'old', ...sent } : sent);
      expect((await send('GET', path)).body).toMatchObject({ name: 'old', status: wanted });
    }
  });
});

describe('an action whose answer only has the id', () => {
  const status = ofStatus('idle', 'lit');
  it.each([
    ['the id', object({ id: TEXT })],
    ['the id and a flag', object({ id: TEXT, accepted: BOOLEAN })],
    ['the id by its noun', object({ boiler_id: TEXT })],
  ])('acts: %s', async (_, answer) => {
    const { send } = await open(['mark-lit'], status, { responses: { 200: json(answer) } });
    const { body } = await send('POST', '/boilers', { name: 'old' });
    const path = `/boilers/${String(body['id'])}`;
    expect(Object.values((await send('POST', `${path}/mark-lit`)).body)).toContain(body['id']);
    expect((await send('GET', path)).body).toMatchObject({ status: 'lit' });
  });

  it('does not act where the id is that of something else', async () => {
    const receipt = object({ id: TEXT, invoice: TEXT }, 'id', 'invoice');
    expect(await act(['mark-lit'], status, { responses: { 200: json(receipt) } })).toMatchObject({ status: 'idle' });
  });
});

describe('an action that brings back what was removed', () => {
  it.each([
    ['restore', DONE, ofStatus('idle', 'active')],
    ['restore', shows(ref('Boiler')), {}],
    ['undelete', DONE, {}],
    ['undelete', { responses: { 200: json(object({ ok: BOOLEAN })) } }, {}],
  ])('"%s": the item is as it was', async (verb, answer, properties) => {
    const { send } = await open([verb], properties, answer);
    const { body } = await send('POST', '/boilers', { name: 'old' });
    await send('POST', '/boilers', { name: 'other' });
    const path = `/boilers/${String(body['id'])}`;
    await send('DELETE', path);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('POST', `${path}/${verb}`)).status).toBeLessThan(300);
    expect((await send('GET', path)).body).toEqual(body);
    expect((await send('GET', '/boilers')).list).toContainEqual(body);
    expect((await send('POST', `/boilers/none/${verb}`)).status).toBe(404);
  });

  it('after a colon: the item is as it was', async () => {
    const { send } = await openShop({
      spec: toDocument(
        {
          '/boilers': { get: shows(arrayOf(ref('Boiler'))), post: takes(object({ name: TEXT }), ref('Boiler'), 201) },
          '/boilers/{id}': { ...inPath('id'), get: finds(ref('Boiler')), delete: REMOVED },
          '/boilers/{id}:undelete': { ...inPath('id'), post: finds(ref('Boiler')) },
        },
        { Boiler: object({ id: TEXT, name: TEXT }, 'id') },
      ),
    });
    const { body } = await send('POST', '/boilers', { name: 'old' });
    const path = `/boilers/${String(body['id'])}`;
    await send('DELETE', path);
    expect((await send('POST', `${path}:undelete`)).body).toEqual(body);
    expect((await send('GET', path)).body).toEqual(body);
  });
});
