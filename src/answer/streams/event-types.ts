import { toSnakeCase } from '../../contract/names.js';
import type { Contract } from '../../contract/contract.js';
import { findOnlyValue, type ItemProperty, listBranches, type ReadItemSchema } from '../../state/item-schema.js';

/** One type of the events of a stream. */
export interface EventType {
  readonly pointer: string;
  /** The value of the property that distinguishes the types. */
  readonly type: string;
  /** What the event is about: `response_output_text` of `response.output_text.delta`. */
  readonly subject: string;
  readonly phase: Phase;
  /** The order of events of one phase. */
  readonly rank: number;
  readonly properties: readonly ItemProperty[];
}

/** When an event is sent: before the parts of its subject, for each piece of it, or after all of them. */
export type Phase = 'open' | 'delta' | 'close';

/** The types of events that a schema distinguishes. */
export interface EventTypes {
  /** The property that has the type. */
  readonly property: string;
  readonly types: readonly EventType[];
}

/** The last words of types in the order in which events have them; the words of failures and of events without content are not here. */
const OPEN = 'created create init start started begin opened open added add in_progress'.split(' ');
const DELTA = 'delta chunk partial token piece append update text content message partial_image progress'.split(' ');
const CLOSE =
  'done stop stopped finish finished final result close closed complete completed succeeded end ended'.split(' ');

/** Events of failures, of waiting, and those that only keep a connection open. */
const SKIPPED =
  /error|fail|cancel|expire|incomplete|abort|timeout|time_out|reject|refused|queued|ping|heartbeat|keep_?alive|requires|warning/;

/** Reads the types of events; undefined where the schema does not distinguish several. */
export function readEventTypes(contract: Contract, read: ReadItemSchema, pointer: string): EventTypes | undefined {
  const branches = listLeaves(contract, pointer);
  const property = findDiscriminator(read, branches.length > 1 ? branches : [pointer]);
  if (property === undefined) return undefined;
  const types = (branches.length > 1 ? branches : [pointer]).flatMap((each) => {
    const properties = [...(read(each)?.properties.values() ?? [])];
    const own = properties.find(({ name }) => name === property);
    const only = own && findOnlyValue(own);
    const values = only === undefined ? (own?.schema.enum ?? []) : [only];
    return values.flatMap((type) => (typeof type === 'string' ? toEventType(type, { pointer: each, properties }) : []));
  });
  return types.length > 1 ? { property, types } : undefined;
}

/** Pointers to the branches of the union that a schema is, those of unions in it included; its own where it is not one. */
export function listLeaves(contract: Contract, pointer: string, depth = 0): readonly string[] {
  const branches = depth > 4 ? [] : listBranches(contract, pointer);
  return branches.length === 0 ? [pointer] : branches.flatMap((each) => listLeaves(contract, each, depth + 1));
}

/** The property that has a constant in each branch, or one of several types in a single schema. */
function findDiscriminator(read: ReadItemSchema, branches: readonly string[]): string | undefined {
  const [first, ...others] = branches.map((each) => read(each)?.properties);
  const names = [...(first?.keys() ?? [])];
  if (others.length > 0) {
    const isConstant = (name: string, properties: typeof first): boolean => {
      const own = properties?.get(name);
      return own !== undefined && typeof findOnlyValue(own) === 'string';
    };
    return names.find((name) => [first, ...others].every((properties) => isConstant(name, properties)));
  }
  return names.find((name) => {
    const words = (first?.get(name)?.schema.enum ?? []).map((value) => toSnakeCase(String(value)));
    const phases = new Set(words.map((each) => readPhase(each)?.phase));
    return /^(type|event|kind|event_?type)$/i.test(name) && phases.has('delta') && phases.has('close');
  });
}

function readPhase(words: string): Pick<EventType, 'phase' | 'rank' | 'subject'> | undefined {
  if (SKIPPED.test(words)) return undefined;
  for (const [phase, list] of [
    ['open', OPEN],
    ['delta', DELTA],
    ['close', CLOSE],
  ] as const) {
    const word = list.find((each) => words === each || words.endsWith(`_${each}`));
    if (word !== undefined) return { phase, rank: list.indexOf(word), subject: words.slice(0, -word.length - 1) };
  }
  // Another state of its subject: `searching`.
  return { phase: 'open', rank: OPEN.length, subject: words.slice(0, Math.max(0, words.lastIndexOf('_'))) };
}

function toEventType(type: string, about: Pick<EventType, 'pointer' | 'properties'>): readonly EventType[] {
  const read = readPhase(toSnakeCase(type));
  return read === undefined ? [] : [{ ...about, type, ...read }];
}
