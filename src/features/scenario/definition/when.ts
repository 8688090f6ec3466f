import { isObject } from '../../../base/json.js';
import { reject, report, type SourceNode } from '../../../contract/load/source-node.js';
import type { Operation, ParameterPlace } from '../../../contract/operations/operation.js';
import { nearest } from '../../../base/errors.js';
import type { Matcher } from '../rules/matcher.js';
import type { CallRange, CollectionCondition, When } from '../rules/rule.js';
import { byCollection, ID_KIND, KNOWN_VARIABLES } from './changes.js';
import { reportParameter } from './check-value.js';
import { CONDITION } from './conditions.js';
import {
  type CheckContext,
  convert,
  type Field,
  integer,
  type Kind,
  map,
  object,
  type ObjectKind,
  onlyOperation,
  oneOrMany,
  optional,
  type ValueTarget,
} from './kinds.js';

/** Which numbers a range selects: `3`, `"2..4"`, `"3.."`, `"..3"`, `"every 5"`. */
function range(lowest: 0 | 1): Kind<CallRange> {
  const forms = 'must be 3, "2..4", "3..", "..3" or "every 5"';
  return {
    type: 'number | string',
    read: (node, context) => {
      const { value } = node;
      if (typeof value === 'number') {
        const only = integer(lowest).read(node, context);
        return only === undefined ? undefined : { kind: 'range', from: only, to: only };
      }
      const every = typeof value === 'string' ? /^every (\d+)$/.exec(value) : null;
      const step = Number(every?.[1]);
      if (step === 0) return reject(node, 'must be "every 1" or more');
      if (step > 0) return { kind: 'every', every: step };
      const bounds = typeof value === 'string' ? /^(\d*)\.\.(\d*)$/.exec(value) : null;
      if (bounds === null || value === '..') return reject(node, forms);
      const from = bounds[1] === '' ? lowest : Number(bounds[1]);
      const to = bounds[2] === '' ? Infinity : Number(bounds[2]);
      if (from < lowest) return reject(node, `must start at ${lowest} or above`);
      return to < from ? reject(node, 'must not end before it starts') : { kind: 'range', from, to };
    },
    schema: () => ({
      anyOf: [
        { type: 'integer', minimum: lowest },
        { type: 'string', pattern: '^(every [1-9]\\d*|\\d+\\.\\.\\d*|\\.\\.\\d+)$' },
      ],
    }),
  };
}

/** Conditions on the parameters of one place, by name; header names in lower case once they are read. */
function parameters(place: ParameterPlace, title: string): Field<Readonly<Record<string, Matcher>>> {
  const read = (member: SourceNode, context: CheckContext, name: string): Matcher | undefined => {
    const value = toParameterTarget(member, { name, place }, context);
    const matcher = CONDITION.read(member, { ...context, value });
    const isAbsent = member.value === null || (isObject(member.value) && member.value['present'] === false);
    if (place === 'path' && isAbsent) report(member, `${value.what} is never absent`, 'remove this condition');
    return matcher;
  };
  const kind = map(CONDITION, read, (name) => (place === 'header' ? name.toLowerCase() : name));
  const forms = 'a value (of an array, one item), `null` if it must be absent, or a matcher';
  return { kind, description: `${title} by name: ${forms}.`, absent: {} };
}

/** The target that a parameter of `when` is checked against; reports one that is not declared. */
function toParameterTarget(
  node: SourceNode,
  { name, place }: { readonly name: string; readonly place: ParameterPlace },
  context: CheckContext,
): ValueTarget {
  const what = `${place} parameter ${JSON.stringify(name)}`;
  const unknown = { pointers: undefined, what, whole: what, isText: true };
  // A rule of `*` does not apply to operations without the parameter.
  const operation = onlyOperation(context);
  if (operation === undefined) return unknown;
  const declared = operation.parameters.filter((parameter) => parameter.in === place);
  const toKey = (text: string): string => (place === 'header' ? text.toLowerCase() : text);
  const found = declared.find((parameter) => toKey(parameter.name) === toKey(name));
  if (found !== undefined) {
    const own = `${place} parameter ${JSON.stringify(found.name)}`;
    return { ...unknown, pointers: context.violates ? undefined : [found.schemaPointer], what: own, whole: own };
  }
  const names = [...declared.map((parameter) => parameter.name), ...listCredentials(operation, place, context)];
  // Any header and cookie can be matched, unless its name looks like a misspelled declared one.
  const isFree = (place === 'header' || place === 'cookie') && nearest(name, names) === undefined;
  if (!isFree && !names.includes(name)) reportParameter(node, { name, in: place, operation: operation.id }, names);
  return unknown;
}

/** Names of credentials that an operation takes in one place. */
function listCredentials(operation: Operation, place: ParameterPlace, context: CheckContext): readonly string[] {
  const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
  return schemes.flatMap((scheme) => {
    const declared = context.contract.securitySchemes[scheme];
    return declared?.in === place && declared.key !== undefined ? [declared.key] : [];
  });
}

/** A condition on the body. */
const BODY: Kind<Matcher> = {
  ...CONDITION,
  read: (node, context) => CONDITION.read(node, { ...context, value: toRequestTarget(node, context) }),
};

/** The target that the body of `when` is checked against; reports that the operation has none. */
function toRequestTarget(node: SourceNode, context: CheckContext): ValueTarget {
  const operation = onlyOperation(context);
  const what = operation === undefined ? 'the body' : `the body of ${operation.id}`;
  if (operation !== undefined && operation.body === undefined) {
    report(node, `${JSON.stringify(operation.id)} has no request body`);
  }
  const media = operation?.body?.content.filter(({ schema }) => schema !== undefined) ?? [];
  const isKnown = media.length > 0 && !context.violates;
  const pointers = isKnown ? media.map(({ schemaPointer }) => schemaPointer) : undefined;
  return { pointers, what, whole: what, isText: false };
}

/** One id or several, as strings once they are read. */
const IDS: Kind<readonly string[]> = convert(oneOrMany(ID_KIND), (ids) => ids.map(String));

/** A condition on a collection. */
export const COLLECTION_CONDITION: ObjectKind<CollectionCondition> = object({
  label: 'a collection condition',
  type: 'CollectionCondition',
  fields: {
    count: optional(range(0), 'How many items it has: `3`, `"2..4"`, `"3.."`, `"..3"`.'),
    has: optional(IDS, 'Ids of items that it has.', []),
    lacks: optional(IDS, 'Ids of items that it does not have.', []),
  },
});

/** The conditions of a rule. */
export const WHEN_KIND: ObjectKind<When> = object({
  type: 'WhenDefinition',
  share: 'when',
  fields: {
    path: parameters('path', 'Path parameters'),
    query: parameters('query', 'Query parameters'),
    header: parameters('header', 'Headers'),
    cookie: parameters('cookie', 'Cookies'),
    body: optional(
      BODY,
      'A subset of the JSON body: objects may have more members, everything else is equal; any part can be a matcher.',
    ),
    call: optional(range(1), 'Which of the calls that match the rest: `3`, `"2..4"`, `"3.."`, `"..3"` or `"every 5"`.'),
    state: optional(
      byCollection('StateCondition', COLLECTION_CONDITION, KNOWN_VARIABLES),
      'Conditions on collections by name (`count`, `has`, `lacks`) and on `vars`.',
      { collections: [], vars: {} },
    ),
  },
});
