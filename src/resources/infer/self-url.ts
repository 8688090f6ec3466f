import { OWN_URL, OTHER_URL } from '../../conventions/descriptions.js';
import { means } from '../../conventions/conventions.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../base/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
  listShownValues,
} from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';
import { findInnerList } from '../list/envelope.js';
import type { OwnUrl } from '../item/resource.js';
import { escapePattern } from '../../base/text.js';

/** Objects of links and the link to the item itself, outermost first. */
const HOLDERS: readonly RegExp[] = [/^_?links$/i, /^self$/i];

/**
 * Finds the property that identifies an item by its own URL, whose last segment is the path parameter.
 *
 * @param of - `id` is the property that would be the id otherwise; a name (`slug`) is less likely than the URL unless the parameter says so.
 */
export function findSelfUrl(
  of: { readonly contract: Contract; readonly read: ReadSchema },
  schema: SchemaView,
  known: { readonly reading: Operation; readonly parameter: string; readonly id: string | undefined },
): OwnUrl | undefined {
  const { reading, parameter, id } = known;
  if (reading.spanned !== undefined || !means(parameter, 'ids.opaque')) return undefined;
  const isName = id !== undefined && means(id, 'ids.name') && !toBareName(parameter).endsWith(toBareName(id));
  if (id !== undefined && !isName) return undefined;
  const found = findProperty(of.read, schema, []);
  if (found === undefined) return undefined;
  const path = toPath(reading);
  return /\{[^{}]+\}(\.(json|xml))?$/.test(path) ? toOwnUrl(of.contract, schema, { found, path }) : undefined;
}

/** Finds the property of an item with an id that holds its own URL as well: `self`, `_links.self.href`, or a `url` described as that. */
export function findSelfLink(
  of: { readonly contract: Contract; readonly read: ReadSchema },
  schema: SchemaView,
  known: { readonly reading: Operation; readonly sent: readonly string[] },
): OwnUrl | undefined {
  const { reading, sent } = known;
  const path = toPath(reading);
  if (reading.spanned !== undefined || !/\{[^{}]+\}(\.json)?$/.test(path)) return undefined;
  const isShown = ({ path: names, property }: Found): boolean => {
    if (!isFreeUrl(property, sent.includes(names[0] ?? ''))) return false;
    return names.length > 1 || isOwnUrl(schema, property, path);
  };
  const own = listProperties(schema).find((property) => isShown({ path: [property.name], property }));
  const links = new Map([...schema.members].filter(([name]) => HOLDERS[0]?.test(name)));
  const nested = own === undefined ? findProperty(of.read, { ...schema, members: links }, []) : undefined;
  const found = own === undefined ? nested && isShown(nested) && nested : { path: [own.name], property: own };
  return found ? toOwnUrl(of.contract, schema, { found, path }) : undefined;
}

/** Finds the other properties of an item whose example is a URL that names the item: `html_url` with `https://example.com/teams/17/edit`. */
export function findShownUrls(
  schema: SchemaView,
  known: { readonly reading: Operation; readonly sent: readonly string[]; readonly id: string | undefined },
): readonly OwnUrl[] {
  const path = toPath(known.reading);
  const id = schema.members.get(known.id ?? '');
  const ids = id === undefined ? [] : listShownValues(schema, id).map(String);
  return listProperties(schema).flatMap((property): readonly OwnUrl[] => {
    if (property === id || !isFreeUrl(property, known.sent.includes(property.name))) return [];
    const base = readShownBase(schema, property, path);
    if (base !== undefined) return [{ property: property.name, template: base + path }];
    const [template] = listShownValues(schema, property).flatMap((example) => toIdTemplate(example, ids));
    return template === undefined ? [] : [{ property: property.name, template }];
  });
}

/** An example of a URL with a parameter in place of the id, which is one of its segments. */
function toIdTemplate(example: unknown, ids: readonly string[]): readonly string[] {
  if (typeof example !== 'string' || !/^https?:\/\/[^{}]*$/.test(example)) return [];
  const segments = example.split('/');
  const at = segments.findLastIndex((segment) => ids.includes(segment));
  return at < 3 ? [] : [segments.with(at, '{id}').join('/')];
}

/** Whether a property can be any URL. @param isSent - Whether clients choose its value. */
function isFreeUrl({ schema }: PropertyView, isSent: boolean): boolean {
  const { type, format = 'uri', pattern, enum: values, maxLength, readOnly } = schema;
  const isUrl = isText(type) && /^ur[il]/.test(format);
  if (!isUrl || pattern !== undefined || values !== undefined || maxLength !== undefined) return false;
  return !isSent || readOnly === true;
}

function toPath({ path }: Operation): string {
  return path.replace(/[?#].*$/, '');
}

function toOwnUrl(
  contract: Contract,
  schema: SchemaView,
  { found, path }: { readonly found: Found; readonly path: string },
): OwnUrl {
  const base = readShownBase(schema, found.property, path) ?? readServer(contract);
  return { property: found.path.join('.'), template: base + path };
}

/** Finds the URLs of the lists in an item: `refunds.url` for `/charges/{charge}/refunds`. */
export function findListUrls(
  { contract, read }: { readonly contract: Contract; readonly read: ReadSchema },
  schema: SchemaView,
  reading: Operation,
): readonly OwnUrl[] {
  const path = toPath(reading);
  return listProperties(schema).flatMap(({ name, target }): readonly OwnUrl[] => {
    const object = read(target);
    const url = object?.members.get('url');
    // A pattern says what the URL is.
    const { type, pattern, enum: values, const: only } = url?.schema ?? {};
    if (url === undefined || pattern !== undefined || (values ?? only) !== undefined || !isText(type)) return [];
    if (findInnerList(read, object)?.path.length !== 1) return [];
    const isPath = url.schema.format === undefined;
    return [{ property: `${name}.url`, template: `${isPath ? '' : readServer(contract)}${path}/${name}`, isPath }];
  });
}

/** Whether a property is the URL of its item: by its name, or by its description or example. */
function isOwnUrl(schema: SchemaView, property: PropertyView, path: string): boolean {
  if (means(property.known, 'links.own')) return true;
  if (!means(property.known, 'links.plain')) return false;
  if (readShownBase(schema, property, path) !== undefined) return true;
  const text = property.schema.description ?? '';
  return OWN_URL.test(text) && !OTHER_URL.test(text);
}

interface Found {
  readonly path: readonly string[];
  readonly property: PropertyView;
}

/** The property itself, or the one that the links of the item hold. */
function findProperty(read: ReadSchema, schema: SchemaView, above: readonly string[]): Found | undefined {
  const properties = listProperties(schema);
  const own = properties.find(
    (each) => means(each.known, 'links.self') && isText(each.schema.type) && each.schema.enum === undefined,
  );
  // Apart from `self`, the links of an item lead to other items.
  if (own !== undefined && (above.length !== 1 || HOLDERS[1]?.test(own.name) === true))
    return { path: [...above, own.name], property: own };
  const holder = properties.find((each) => HOLDERS[above.length]?.test(each.name));
  const inner = read(holder?.target);
  return holder === undefined || inner === undefined ? undefined : findProperty(read, inner, [...above, holder.name]);
}

/** What an example of the URL has before the path of the item. */
function readShownBase(schema: SchemaView, property: PropertyView, path: string): string | undefined {
  const examples = listShownValues(schema, property).filter((example) => typeof example === 'string');
  if (examples.length === 0) return undefined;
  const pattern = path
    .split(/\{[^{}]+\}/)
    .map(escapePattern)
    .join('[^/]+');
  const url = new RegExp(`^(https?://.*?)${pattern}$`);
  for (const example of examples) {
    const base = url.exec(example)?.[1];
    if (base !== undefined) return base;
  }
  return undefined;
}

function isText(type: SchemaObject['type']): boolean {
  return Array.isArray(type) ? type.includes('string') : type === 'string';
}

/** The first server of a contract; the path of one that is relative, which is at the origin of each request. */
function readServer({ document }: Contract): string {
  const servers: readonly unknown[] = Array.isArray(document['servers']) ? document['servers'] : [];
  const [first] = servers;
  const url = isObject(first) && typeof first['url'] === 'string' ? first['url'].replace(/\/$/, '') : '';
  const variables = isObject(first) && isObject(first['variables']) ? first['variables'] : {};
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = variables[name];
    return isObject(variable) && typeof variable['default'] === 'string' ? variable['default'] : name;
  });
  return /^(https?:\/\/|\/|$)/.test(filled) ? filled : `/${filled}`;
}
