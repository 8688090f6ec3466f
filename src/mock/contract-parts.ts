import type { AnswerSource } from '../answer/chain.js';
import { createErrorAnswers, type ErrorAnswers } from '../answer/error-answers.js';
import { type DeclaredErrors, findUsualErrors } from '../answer/choose-response.js';
import { hasErrorTemplates } from '../answer/error-templates.js';
import { createExampleSource, type ExampleParts } from '../answer/sources/example.js';
import { createGenerateSource } from '../answer/sources/generate.js';
import { createPreferAnswer, type PreferAnswer } from '../answer/sources/prefer.js';
import { answersRanges } from '../answer/sources/range.js';
import { declaresTags } from '../resources/answer/conditions.js';
import { createPagesSource } from '../answer/sources/pages.js';
import { createRepeatsSource } from '../answer/sources/repeats.js';
import { createResultsSource } from '../answer/sources/results.js';
import { createStateSource } from '../resources/answer/state.js';
import { createStreamSource } from '../answer/sources/stream.js';
import type { Contract } from '../contract/contract.js';
import { freezeDeep, isObject } from '../base/json.js';
import { type ContractChecks, createChecks } from '../check/check.js';
import { loadWithFacts } from '../contract/load/load.js';
import { placeOperations } from '../contract/operations/base-paths.js';
import { listRoutes, type OperationRoute } from '../contract/router/hono-path.js';
import { createRouter, type Router } from '../contract/router/router.js';
import { MockError } from '../base/errors.js';
import { createGenerator, type Generator } from '../generate/generate.js';
import { type CallDecoder, type CallDecoderOptions, createCallDecoder } from '../http/request/call.js';
import { createEncoder, type Encoder } from '../http/response/encode.js';
import { createXmlWriter } from '../http/xml.js';
import { nameOperations, type OperationNames } from '../journal/journal.js';
import { memoize } from '../base/memoize.js';
import type { ContractOptions, MockOptions } from './options.js';
import { readOptions, type Settings } from './read-options.js';
import { createValidators, type Validators } from '../schema/validate.js';
import { readReserved } from '../session/choice.js';
import { createGeneratedItems } from '../resources/store/on-demand.js';
import { createItemModels, type ItemModels } from '../resources/item/item-models.js';
import { inferResources, packResources, unpackResources } from '../resources/infer/infer.js';
import { type CollectionEditors, createCollectionEditors } from '../resources/store/editors.js';
import { createItems, type Items } from '../resources/store/items.js';

/**
 * The parts that depend on a contract, and not on a mock of it: all its mocks share them.
 *
 * Each part is computed when it is first needed, from the document alone, so that it does not matter which mock needs it first.
 */
export interface ContractParts extends ItemModels {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly router: Router;
  readonly routes: readonly OperationRoute[];
  readonly operations: OperationNames;
  /** First segments of its paths that look like the prefix of a session. */
  readonly reserved: ReadonlySet<string>;
  /** Whether an operation answers ranges. */
  readonly answersRanges: boolean;
  /** The ids of the operations that declare entity tags. */
  readonly tagged: readonly string[];
  readonly encode: Encoder;
  /** The parts with which mocks with the same settings decode and answer requests. */
  readAnswers(settings: Pick<Settings, 'requests' | 'responses' | 'seed' | 'state'>): ContractAnswers;
}

/** The parts that decode and answer requests by the contract and by settings; the items themselves belong to a session. */
export interface ContractAnswers {
  readonly decoder: CallDecoder;
  readonly errors: ErrorAnswers;
  readonly answerPreferred: PreferAnswer;
  readonly sources: Readonly<
    Record<'example' | 'generate' | 'pages' | 'results' | 'state' | 'stream', AnswerSource>
  > & {
    readonly repeats: AnswerSource;
  };
  readonly items: Items;
  readonly editors: CollectionEditors;
}

/** The settings that decoding and answering follow. */
interface AnswerSettings extends Pick<CallDecoderOptions, 'bodyLimitBytes' | 'queryProfile'> {
  readonly seed: number;
  readonly examples: ExampleParts['examples'];
  readonly state: Partial<Exclude<Settings['state'], false>>;
}

/** The different settings whose parts are kept for further mocks. */
const MAX_KEPT = 32;

/** The property of a loaded contract that holds what its mocks share; nothing outside of the contract refers to it. */
const PARTS: unique symbol = Symbol('parts');

/** The property that says how a contract was loaded, to the other build of this package in one process. */
const ORIGIN: unique symbol = Symbol.for('vouch.contract') as never;

/** The options that a contract is loaded with. */
type ContractSettings = Pick<Settings, keyof ContractOptions | 'spec'>;

/** A contract with what its mocks share. */
export interface LoadedContract extends Contract, ContractChecks {
  readonly [PARTS]: (isStrict: boolean) => ContractParts;
  readonly [ORIGIN]: ContractSettings;
}

/** Whether a value is a contract that was loaded with `loadContract`, or that of a mock. */
export function isLoadedContract(value: unknown): value is LoadedContract {
  return isObject(value) && PARTS in value;
}

/**
 * Loads an OpenAPI document once for many mocks: `createMock({ spec: contract })` does not read, check or infer anything of it again.
 *
 * The contract cannot be changed, and no state of a mock is in it. Its memory is freed with the last reference to it and its mocks.
 *
 * @param spec - A path, a URL, or the parsed document, as for `createMock`.
 * @throws MockError `SPEC_NOT_FOUND`, `SPEC_UNREADABLE`, `SPEC_INVALID`, `OVERLAY_INVALID`, `HINT_INVALID`; `OPTION_INVALID` for an unknown or invalid option.
 *
 * @example
 * ```ts
 * import { createMock, loadContract } from 'vouch';
 *
 * const contract = await loadContract('spec/openapi.yaml');
 * const one = await createMock({ spec: contract, fixtures: 'fixtures' });
 * const other = await createMock({ spec: contract, fixtures: 'fixtures', seed: 7 });
 * one.state.collection('files').replace([]);
 * if (other.state.collection('files').items.length === 0) throw new Error('mocks share state');
 * ```
 */
export async function loadContract(
  spec: NonNullable<MockOptions['spec']>,
  options: ContractOptions = {},
): Promise<Contract & ContractChecks> {
  const names = isObject(options) ? Object.keys(options) : [];
  const other = names.find((name) => !CONTRACT_OPTIONS.some((known) => known === name));
  if (other !== undefined) {
    const hint = `its options are ${CONTRACT_OPTIONS.join(', ')}; give all others to createMock`;
    throw new MockError('OPTION_INVALID', `loadContract has no option "${other}"`, { hint });
  }
  const given = { ...options, spec };
  checkContractOptions(given);
  const contract = await loadShared(readOptions(given));
  // Mistakes in hints are found now, and not by the first mock.
  void contract[PARTS](false);
  freezeDeep([contract.document, contract.operations, contract.securitySchemes]);
  Object.freeze(contract.problems);
  return contract;
}

/** The options that decide what a contract is. */
export const CONTRACT_OPTIONS: readonly (keyof ContractOptions)[] = [
  'overlays',
  'conventions',
  'preset',
  'document',
  'basePath',
  'prefix',
];

/** @throws MockError `OPTION_INVALID` for a loaded contract with options that would change it, and for a copy of one. */
export function checkContractOptions(options: Readonly<Record<string, unknown>>): void {
  const { spec } = options;
  if (isLoadedContract(spec) || isForeignContract(spec)) {
    const name = CONTRACT_OPTIONS.find((each) => options[each] !== undefined);
    if (name === undefined) return;
    const hint = `give it to loadContract: await loadContract(spec, { ${name} })`;
    throw new MockError('OPTION_INVALID', `the option "${name}" cannot change a loaded contract`, { hint });
  }
  if (isObject(spec) && typeof spec['operation'] === 'function') {
    const hint = 'pass the contract itself; it cannot be copied, or shared with another version of vouch';
    throw new MockError('OPTION_INVALID', 'the option "spec" is a copy of a contract', { hint });
  }
}

/**
 * Whether a value is a contract that the other build of this package loaded, such as one of a configuration file that imports the package,
 * which the command does not share its modules with.
 */
function isForeignContract(value: unknown): value is Pick<LoadedContract, typeof ORIGIN> {
  return isObject(value) && ORIGIN in value && !isLoadedContract(value);
}

/** Loads the contract of a mock with what all its mocks share. @throws MockError as `loadContract` does. */
export async function loadShared(settings: ContractSettings): Promise<LoadedContract> {
  const { spec, document, overlays, conventions, preset = 'auto' } = settings;
  if (isLoadedContract(spec)) return spec;
  // Its parts have classes of the other build.
  if (isForeignContract(spec)) return loadShared(readOptions({ ...spec[ORIGIN] }));
  const { contract, facts: kept } = await loadWithFacts(spec, { ...document, overlays, conventions, preset });
  const loaded: Contract = { ...placeOperations(contract, settings) };
  // Inference takes half of a start from the cache, and depends on the document and on these options alone.
  const name = JSON.stringify([settings.basePath, settings.prefix]);
  // The cache proves that this build wrote it for this contract.
  const packed = kept?.read(name) as PackedFacts | undefined;
  const generated = createGeneratedItems();
  const readFacts = memoize((): ContractFacts => {
    if (packed !== undefined) {
      const resources = unpackResources(loaded, packed.resources);
      return { ...packed, resources, usualErrors: () => packed.usualErrors };
    }
    return { resources: inferResources(loaded), ...findFacts(loaded) };
  });
  const value = memoize((isStrict: boolean) => {
    const facts = readFacts(undefined);
    const isChecked = packed?.isStrict === isStrict;
    const parts = createParts(loaded, { ...facts, generated, isChecked }, isStrict);
    if (packed === undefined) {
      const pack = (): PackedFacts => {
        return { ...facts, resources: packResources(facts.resources), usualErrors: facts.usualErrors(), isStrict };
      };
      kept?.write(name, pack);
    }
    return parts;
  });
  const origin = { ...Object.fromEntries(CONTRACT_OPTIONS.map((each) => [each, settings[each]])), spec };
  const checks = Object.entries(createChecks(loaded)).map(([each, method]) => [each, { value: method }] as const);
  Object.defineProperties(loaded, { [PARTS]: { value }, [ORIGIN]: { value: origin }, ...Object.fromEntries(checks) });
  // The properties were just defined.
  return Object.freeze(loaded) as LoadedContract;
}

/** The facts that are found by reading all operations of a contract; with them, a start reads only operations that are called. */
interface ContractFacts extends DeclaredErrors, Pick<ContractParts, 'answersRanges' | 'resources' | 'tagged'> {}

/** The facts without their contract. */
interface PackedFacts extends Omit<ContractFacts, 'resources' | 'usualErrors'> {
  readonly resources: unknown;
  readonly usualErrors: ReturnType<ContractFacts['usualErrors']>;
  /** Whether the mocks are strict that templates of errors were checked for. */
  readonly isStrict: boolean;
}

function findFacts(contract: Contract): Omit<ContractFacts, 'resources'> {
  const { operations } = contract;
  const findUsual = memoize<undefined, ReturnType<ContractFacts['usualErrors']>>(() => findUsualErrors(contract));
  return {
    usualErrors: () => findUsual(undefined),
    withTemplates: operations.filter(hasErrorTemplates).map(({ id }) => id),
    answersRanges: answersRanges(operations),
    tagged: operations.filter(declaresTags).map(({ id }) => id),
  };
}

/** Returns the parts that the mocks of a contract share. @param isStrict - Whether they are strict, which their checks depend on. */
export function readParts(contract: LoadedContract, isStrict: boolean): ContractParts {
  return contract[PARTS](isStrict);
}

/** @param facts - With whether templates of errors were checked before. */
function createParts(
  contract: Contract,
  facts: ContractFacts & Pick<ItemModels, 'generated'> & { readonly isChecked: boolean },
  isStrict: boolean,
): ContractParts {
  const validators = createValidators(contract, { strict: isStrict });
  const generator = createGenerator(contract, validators);
  const schemas = { contract, validators, generator };
  const errorsOf = createErrorAnswers(schemas, facts);
  const models = createItemModels({ ...schemas, resources: facts.resources, generated: facts.generated });
  const answersOf = memoize((key: string): ContractAnswers => {
    // Only `readAnswers` writes keys.
    const { bodyLimitBytes, queryProfile, seed, examples, state } = JSON.parse(key) as AnswerSettings;
    const errors = errorsOf(seed);
    const items = createItems(models, state);
    const parts = { ...schemas, ...models, tagged: facts.tagged, errors, examples, items };
    return {
      decoder: createCallDecoder(contract, validators, { bodyLimitBytes, queryProfile, strict: isStrict }),
      errors,
      answerPreferred: createPreferAnswer(parts),
      sources: {
        stream: createStreamSource(parts),
        repeats: createRepeatsSource(),
        results: createResultsSource(parts),
        state: createStateSource(parts),
        pages: createPagesSource(parts),
        example: createExampleSource(parts),
        generate: createGenerateSource(parts),
      },
      items,
      editors: createCollectionEditors(items),
    };
  }, MAX_KEPT);
  return {
    ...models,
    ...schemas,
    router: createRouter(contract.operations, contract.resolve),
    routes: listRoutes(contract.operations),
    operations: nameOperations(contract.operations),
    reserved: readReserved(contract.operations.flatMap(({ basePaths, path }) => basePaths.map((base) => base + path))),
    answersRanges: facts.answersRanges,
    tagged: facts.tagged,
    encode: createEncoder([createXmlWriter(contract)]),
    readAnswers: ({ requests: { bodyLimitBytes, queryProfile }, responses: { examples }, seed, state }) => {
      const { initialItems, unknownIds }: AnswerSettings['state'] = state === false ? {} : state;
      const settings = { bodyLimitBytes, queryProfile, seed, examples, state: { initialItems, unknownIds } };
      return answersOf(JSON.stringify(settings satisfies AnswerSettings));
    },
  };
}
