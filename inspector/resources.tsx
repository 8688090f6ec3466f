import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Contract, Operation, Resource } from './api.ts';
import { Choice, countOf, Problem, Section, Text, useAction } from './parts.tsx';
import { writeYaml } from './yaml.ts';

const CONFIDENCES = [
  ['1.01', 'All'],
  ['1', 'Inferred'],
  ['0.9', 'Below 0.9'],
  ['0.7', 'Below 0.7'],
] as const;

/** A collection with those below it. */
interface Node {
  readonly resource: Resource;
  readonly operations: readonly Operation[];
  readonly below: readonly Node[];
}

/** The resources that were inferred: which belong to which, what operations do to them, how sure that is, and hints to correct it. */
export function Resources({ contract }: { readonly contract: Contract }): JSX.Element {
  const [search, setSearch] = useState('');
  const [confidence, setConfidence] = useState('1.01');
  const [open, setOpen] = useState<string | undefined>();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const limit = Number(confidence);
  const isShown = (operation: Operation): boolean => {
    const text = `${operation.id} ${operation.method} ${operation.path} ${operation.collection ?? ''}`.toLowerCase();
    return (operation.confidence ?? 0) < limit && words.every((word) => text.includes(word));
  };
  const isFiltered = words.length > 0 || limit <= 1;
  const shown = contract.operations.filter(isShown);
  const tree = useMemo(() => createTree(contract.resources, shown, isFiltered), [contract, search, confidence]);
  const unbound = shown.filter(({ collection }) => collection === undefined);
  const bound = contract.operations.filter(({ collection }) => collection !== undefined).length;
  return (
    <div class="page">
      <div class="page-head">
        <h2>Resources</h2>
        <span class="note" aria-live="polite">
          {countOf(tree.count, contract.resources.length, 'collections')}, {bound} of {contract.operations.length}{' '}
          operations belong to one
        </span>
        <span class="spacer" />
        <input
          type="search"
          aria-label="Search resources"
          placeholder="Search resources  /"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Choice label="Confidence" value={confidence} options={CONFIDENCES} onChange={setConfidence} />
      </div>
      <p class="note">
        What the mock read from paths, methods and schemas. Where it is wrong, copy the hint of an operation or a
        collection, correct it, and add it to the document or to an overlay.
      </p>
      {tree.roots.length === 0 && <p class="empty">No collection {isFiltered ? 'matches' : 'was inferred'}.</p>}
      <Branch nodes={tree.roots} open={open} onOpen={setOpen} />
      {unbound.length > 0 && (
        <Section title="In no collection" note={unbound.length} closed>
          <ul class="bindings">
            {unbound.map((operation) => (
              <li key={operation.id}>
                <OperationLine operation={operation} />
                <p class="note">{operation.why}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

/** The collections with shown operations, and those that they are below. */
function createTree(
  resources: readonly Resource[],
  shown: readonly Operation[],
  isFiltered: boolean,
): { readonly roots: readonly Node[]; readonly count: number } {
  const byCollection = group(shown, ({ collection }) => collection);
  const names = new Set(resources.map(({ name }) => name));
  const byParent = group(resources, ({ parents }) => parents.findLast((name) => names.has(name)));
  let count = 0;
  const toNodes = (parent: string | undefined, above: ReadonlySet<string>): readonly Node[] =>
    (byParent.get(parent) ?? []).flatMap((resource) => {
      const { name } = resource;
      const below = above.has(name) ? [] : toNodes(name, new Set([...above, name]));
      const operations = byCollection.get(name) ?? [];
      if (isFiltered && operations.length + below.length === 0) return [];
      count += 1;
      return [{ resource, operations, below }];
    });
  return { roots: toNodes(undefined, new Set()), count };
}

function group<Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [value]);
    else known.push(value);
  }
  return groups;
}

interface BranchProps {
  readonly nodes: readonly Node[];
  readonly open: string | undefined;
  readonly onOpen: (name: string | undefined) => void;
}

function Branch({ nodes, open, onOpen }: BranchProps): JSX.Element | null {
  if (nodes.length === 0) return null;
  return (
    <ul class="tree">
      {nodes.map(({ resource, operations, below }) => {
        const { name } = resource;
        const isOpen = open === name;
        return (
          <li key={name}>
            <button
              type="button"
              class="plain node"
              aria-expanded={isOpen}
              onClick={() => onOpen(isOpen ? undefined : name)}
            >
              <strong>{name.slice(name.lastIndexOf('.') + 1)}</strong>
              <span class="path dim">{resource.path}</span>
              <span class="chips">
                {operations.map((operation) => (
                  <span class={`chip ${readLevel(operation)}`} key={operation.id} title={describe(operation)}>
                    {operation.action}
                    {isUnsure(operation) && ` ${operation.confidence}`}
                  </span>
                ))}
              </span>
            </button>
            {isOpen && <Opened resource={resource} operations={operations} />}
            <Branch nodes={below} open={open} onOpen={onOpen} />
          </li>
        );
      })}
    </ul>
  );
}

/** From this confidence on an inference is hardly ever wrong. */
const SURE = 0.9;

function isUnsure({ confidence = 0 }: Operation): boolean {
  return confidence < SURE;
}

function readLevel(operation: Operation): string {
  return operation.confidence === 1 ? 'given' : isUnsure(operation) ? 'unsure' : '';
}

function describe({ method, path, confidence, why }: Operation): string {
  return `${method} ${path} (${confidence}): ${why}`;
}

function Opened({
  resource,
  operations,
}: {
  readonly resource: Resource;
  readonly operations: readonly Operation[];
}): JSX.Element {
  const { name, parents, members, singleton, hint } = resource;
  const facts = [
    `id: ${hint.id ?? (singleton ? 'one item' : 'none')}`,
    ...(parents.length > 0 ? [`below ${parents.join(' › ')}`] : []),
    ...(members === undefined ? [] : [`members of ${members}`]),
    ...(hint.schema === undefined ? [] : [hint.schema]),
  ];
  return (
    <div class="card">
      <p class="facts">
        <strong>{name}</strong> · {facts.join(' · ')}
      </p>
      <Hint name={`the collection ${name}`} place={['x-mock', 'collections', name]} hint={hint} />
      <ul class="bindings">
        {operations.map((operation) => (
          <li key={operation.id}>
            <OperationLine operation={operation} />
            <p class="note">
              {operation.action}, confidence {operation.confidence}: {operation.why}
            </p>
            {operation.hint !== undefined && (
              <Hint
                name={operation.id}
                place={['paths', operation.path, operation.method.toLowerCase(), 'x-mock']}
                hint={operation.hint}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function OperationLine({ operation }: { readonly operation: Operation }): JSX.Element {
  const { id, method, path } = operation;
  return (
    <p>
      <span class="method">{method}</span> <span class="path">{path}</span>{' '}
      {id !== `${method} ${path}` && <span class="dim">{id}</span>}
    </p>
  );
}

/** What is inferred as text for the document, or for an overlay. */
function Hint({
  name,
  place,
  hint,
}: {
  readonly name: string;
  readonly place: readonly string[];
  readonly hint: object;
}): JSX.Element {
  const { error, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState('');
  useEffect(() => setDone(''), [name]);
  const text = writeYaml(nest(place, hint));
  const copy = (what: string, copied: string): void =>
    run(async () => {
      setOpen(true);
      await navigator.clipboard.writeText(copied);
      setDone(`Copied ${what}`);
    });
  return (
    <>
      <div class="actions">
        <button type="button" aria-label={`Copy hint of ${name}`} onClick={() => copy('for the document', text)}>
          Copy hint
        </button>
        <button
          type="button"
          aria-label={`Copy as overlay the hint of ${name}`}
          onClick={() => copy('as an overlay', writeYaml(toOverlay(place, hint)))}
        >
          Copy as overlay
        </button>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Show
        </button>
        <span class="note" role="status">
          {done}
        </span>
      </div>
      <Problem error={error} />
      {isOpen && <Text>{text}</Text>}
    </>
  );
}

function nest(place: readonly string[], value: object): object {
  return place.reduceRight<object>((inner, name) => ({ [name]: inner }), value);
}

/** An overlay with one action, which adds the hint. */
function toOverlay(place: readonly string[], hint: object): object {
  const [first, ...rest] = place;
  const isOperation = first === 'paths';
  const target = isOperation ? `$.paths['${place[1]?.replaceAll("'", String.raw`\'`)}'].${place[2]}` : '$';
  const update = isOperation ? { 'x-mock': hint } : { 'x-mock': nest(rest, hint) };
  return { overlay: '1.0.0', info: { title: 'Hints', version: '1.0.0' }, actions: [{ target, update }] };
}
