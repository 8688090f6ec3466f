import type { ComponentChildren, JSX } from 'preact';
import type { Operation } from './api.ts';
import { Section } from './parts.tsx';

type Node = Readonly<Record<string, unknown>>;

/** Levels of a schema that are shown. */
const MAX_DEPTH = 6;

/** The reference of one operation: description, parameters, bodies. */
export function Reference({
  operation,
  document,
}: {
  readonly operation: Operation;
  readonly document: Node;
}): JSX.Element | null {
  const item = asNode(asNode(document['paths'])?.[operation.path]);
  const node = asNode(item?.[operation.method.toLowerCase()]);
  if (node === undefined) return null;
  const read = (value: unknown): Node | undefined => resolve(value, document);
  const parameters = [...asList(item?.['parameters']), ...asList(node['parameters'])].flatMap((each): Node[] => [
    read(each) ?? {},
  ]);
  const body = read(node['requestBody']);
  const responses = Object.entries(asNode(node['responses']) ?? {});
  return (
    <Section title="Reference">
      {typeof node['description'] === 'string' && <p class="description">{node['description']}</p>}
      {parameters.length > 0 && <h4>Parameters</h4>}
      {parameters.map((parameter) => (
        <Property
          name={`${String(parameter['in'])} ${String(parameter['name'])}`}
          isRequired={parameter['required'] === true}
          schema={read(parameter['schema'])}
          note={parameter['description']}
          context={{ document, depth: 1 }}
        />
      ))}
      {body !== undefined && <h4>Request body</h4>}
      {body !== undefined && <Content node={body} document={document} />}
      {responses.map(([status, value]) => {
        const response = read(value) ?? {};
        return (
          <>
            <h4>
              {status} <span class="note">{asText(response['description'])}</span>
            </h4>
            <Content node={response} document={document} />
          </>
        );
      })}
    </Section>
  );
}

function Content({ node, document }: { readonly node: Node; readonly document: Node }): JSX.Element {
  return (
    <>
      {Object.entries(asNode(node['content']) ?? {}).map(([type, media]) => (
        <div class="schema">
          <p class="note">{type}</p>
          <SchemaView schema={resolve(asNode(media)?.['schema'], document)} context={{ document, depth: 0 }} />
        </div>
      ))}
    </>
  );
}

interface Context {
  readonly document: Node;
  readonly depth: number;
}

/** The properties of a schema; objects within them are closed. */
function SchemaView({
  schema,
  context,
}: {
  readonly schema: Node | undefined;
  readonly context: Context;
}): JSX.Element | null {
  if (schema === undefined || context.depth > MAX_DEPTH) return null;
  const { document, depth } = context;
  const below = { document, depth: depth + 1 };
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
    asList(schema[keyword]).map((each) => ({ keyword, schema: resolve(each, document) })),
  );
  const required = new Set(asList(schema['required']));
  const items = resolve(schema['items'], document);
  return (
    <>
      {depth === 0 && <p class="note">{describe(schema)}</p>}
      {Object.entries(asNode(schema['properties']) ?? {}).map(([name, value]) => {
        const property = resolve(value, document);
        return (
          <Property
            name={name}
            isRequired={required.has(name)}
            schema={property}
            note={property?.['description']}
            context={below}
          />
        );
      })}
      {items !== undefined && (
        <Property name="items" isRequired={false} schema={items} note={undefined} context={below} />
      )}
      {parts.map((part, i) => (
        <Property
          name={`${part.keyword} ${i + 1}`}
          isRequired={false}
          schema={part.schema}
          note={undefined}
          context={below}
        />
      ))}
    </>
  );
}

function Property(props: {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Node | undefined;
  readonly note: unknown;
  readonly context: Context;
}): JSX.Element {
  const { name, isRequired, schema = {}, note, context } = props;
  const head: ComponentChildren = (
    <>
      <code>{name}</code> <span class="dim">{describe(schema)}</span> {isRequired && <span class="note">required</span>}{' '}
      <span class="note">{asText(note)}</span>
    </>
  );
  const hasMore = ['properties', 'items', 'allOf', 'anyOf', 'oneOf'].some((keyword) => schema[keyword] !== undefined);
  if (!hasMore || context.depth > MAX_DEPTH) return <div class="property">{head}</div>;
  return (
    <details class="property">
      <summary>{head}</summary>
      <SchemaView schema={schema} context={context} />
    </details>
  );
}

/** The type of a schema and what limits its values. */
function describe(schema: Node): string {
  const { type, format, pattern, minimum, maximum, const: only } = schema;
  const values = asList(schema['enum']);
  const parts = [
    asList([type].flat()).filter(Boolean).join(' or '),
    asText(format),
    values.length > 0 ? values.slice(0, 8).map(String).join(' | ') + (values.length > 8 ? ' | …' : '') : '',
    only === undefined ? '' : JSON.stringify(only),
    minimum === undefined ? '' : `≥ ${JSON.stringify(minimum)}`,
    maximum === undefined ? '' : `≤ ${JSON.stringify(maximum)}`,
    pattern === undefined ? '' : asText(pattern),
  ];
  return parts.filter(Boolean).join(', ');
}

function resolve(value: unknown, document: Node): Node | undefined {
  let node = asNode(value);
  for (let i = 0; i < 8 && typeof node?.['$ref'] === 'string'; i++) node = asNode(readPointer(document, node['$ref']));
  return node;
}

function readPointer(document: Node, reference: string): unknown {
  const names = reference.replace(/^#\/?/, '').split('/');
  let value: unknown = document;
  for (const name of names)
    value = asNode(value)?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')];
  return value;
}

function asNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null ? (value as Node) : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
