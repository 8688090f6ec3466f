import { listApplied } from '../contract/schema-view/walk.js';
import type { Contract } from '../contract/contract.js';
import { isObject, readOwn, type Schema } from '../base/json.js';
import { escapeMarkup } from '../base/text.js';
import { readSegments, toPointer } from '../contract/pointer.js';
import { isXmlType } from '../contract/media-type.js';
import type { BodyWriter } from './response/encode.js';

type LocatedSchema = { readonly schema: Schema; readonly pointer: string };

interface Element {
  readonly name: string;
  readonly value: unknown;
  readonly place: LocatedSchema;
  readonly indent: string;
}

/** Creates the writer of XML bodies, by the `xml` keywords of their schema (OpenAPI 3.1 section 4.8.26). */
export function createXmlWriter(contract: Contract): BodyWriter {
  return ({ body, mediaType, schemaPointer }) => {
    if (mediaType === undefined || !isXmlType(mediaType)) return undefined;
    // An XML example of the document.
    if (typeof body === 'string' && isXmlText(body)) return body;
    const place = placeOf(contract, schemaPointer);
    const element = { name: rootName(contract, place), value: body, place, indent: '' };
    return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(contract, element)}`;
  };
}

/** Whether a string is XML itself: a declaration or a tag at its beginning, and a tag at its end. */
export function isXmlText(text: string): boolean {
  return /^\s*<[?!\p{L}_][^]*>\s*$/u.test(text);
}

function placeOf(contract: Contract, pointer: string | undefined): LocatedSchema {
  const schema = pointer === undefined ? true : contract.at(pointer);
  return { schema: isObject(schema) ? schema : true, pointer: pointer ?? '' };
}

/** The name of the document element: `xml.name`, else the name of the schema it refers to, else `root`. */
function rootName(contract: Contract, place: LocatedSchema): string {
  const { place: target, xml } = resolveXml(contract, place);
  if (xml.name !== undefined) return xml.name;
  const segments = readSegments(target.pointer);
  const isComponent = segments.at(-2) === 'schemas' || segments.at(-2) === 'definitions';
  return isComponent ? toName(segments.at(-1) ?? 'root') : 'root';
}

/** A place with its references resolved, and its `xml` keywords; those beside a `$ref` win. */
function resolveXml(
  contract: Contract,
  { schema, pointer }: LocatedSchema,
): { readonly place: LocatedSchema; readonly xml: XmlKeywords } {
  const place = contract.resolve(schema, pointer);
  return { place, xml: readXmlKeywords(place.schema, schema) };
}

function writeElement(contract: Contract, element: Element): string {
  const { value, indent } = element;
  const { place, xml } = resolveXml(contract, element.place);
  const name = toName(xml.prefix === undefined ? element.name : `${xml.prefix}:${element.name}`);
  const prefix = xml.prefix === undefined ? '' : `:${xml.prefix}`;
  const namespace = xml.namespace === undefined ? '' : ` xmlns${prefix}="${escape(xml.namespace)}"`;
  const open = `${indent}<${name}${namespace}`;
  if (value === null || value === undefined) return `${open}/>\n`;
  const close = `</${name}>\n`;
  if (Array.isArray(value)) {
    const items = placeOfItems(place);
    const itemName = resolveXml(contract, items).xml.name ?? itemNameOf(contract, items, name);
    const inner = value.map((item: unknown) =>
      writeElement(contract, { name: itemName, value: item, place: items, indent: `${indent}  ` }),
    );
    return `${open}>\n${inner.join('')}${indent}${close}`;
  }
  if (!isObject(value)) return `${open}>${escapeMarkup(toText(value))}${close}`;
  const attributes: string[] = [];
  const children: string[] = [];
  let text = '';
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const own = placeOfProperty(contract, place, key);
    const { xml: innerXml } = resolveXml(contract, own);
    const child = { name: innerXml.name ?? key, value: inner, place: own, indent: `${indent}  ` };
    if (innerXml.isAttribute) {
      if (inner !== null) attributes.push(` ${toName(child.name)}="${escapeMarkup(toText(inner))}"`);
    } else if (innerXml.isText) text += escapeMarkup(toText(inner ?? ''));
    else children.push(writeChild(contract, child, innerXml.isWrapped));
  }
  const start = `${open}${attributes.join('')}`;
  if (text !== '') return `${start}>${text}${children.length === 0 ? '' : `\n${children.join('')}${indent}`}${close}`;
  return children.length === 0 ? `${start}/>\n` : `${start}>\n${children.join('')}${indent}${close}`;
}

/** An array that is not wrapped has one element per item in its parent. */
function writeChild(contract: Contract, child: Element, isWrapped: boolean): string {
  if (!Array.isArray(child.value) || isWrapped) return writeElement(contract, child);
  const place = placeOfItems(contract.resolve(child.place.schema, child.place.pointer));
  const name = readXmlKeywords(place.schema).name ?? child.name;
  return child.value.map((value) => writeElement(contract, { ...child, name, value, place })).join('');
}

function itemNameOf(contract: Contract, items: LocatedSchema, fallback: string): string {
  const name = rootName(contract, items);
  return name === 'root' ? (fallback === 'root' ? 'item' : fallback) : name;
}

function placeOfItems(place: LocatedSchema): LocatedSchema {
  const items = typeof place.schema === 'boolean' ? undefined : place.schema.items;
  return { schema: items ?? true, pointer: `${place.pointer}/items` };
}

function placeOfProperty(contract: Contract, place: LocatedSchema, name: string): LocatedSchema {
  for (const { pointer, schema } of listApplied(contract, [place.pointer])) {
    const own = readOwn(schema.properties ?? {}, name);
    if (own !== undefined) return { schema: own, pointer: pointer + toPointer('properties', name) };
  }
  return { schema: true, pointer: place.pointer };
}

/** How a schema is written as XML (OpenAPI 3.1 and 3.2, XML Object). */
interface XmlKeywords {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly prefix?: string | undefined;
  readonly isAttribute: boolean;
  /** Whether it is the text of the element around it. */
  readonly isText: boolean;
  readonly isWrapped: boolean;
}

/** The `xml` keywords of schemas; later schemas, such as one beside a `$ref`, win. */
export function readXmlKeywords(...schemas: readonly unknown[]): XmlKeywords {
  const merged: Record<string, unknown> = {};
  for (const schema of schemas) if (isObject(schema) && isObject(schema['xml'])) Object.assign(merged, schema['xml']);
  const read = (keyword: string): string | undefined => {
    const value = merged[keyword];
    return typeof value === 'string' ? value : undefined;
  };
  // OpenAPI 3.2 has `nodeType` in place of `attribute` and `wrapped`.
  const node = read('nodeType');
  return {
    name: read('name'),
    namespace: read('namespace'),
    prefix: read('prefix'),
    isAttribute: merged['attribute'] === true || node === 'attribute',
    isText: node === 'text' || node === 'cdata',
    isWrapped: merged['wrapped'] === true || node === 'element',
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** XML 1.0 production 5, roughly: a letter or underscore, then letters, digits, `.`, `-`, `_` and one prefix. */
function toName(text: string): string {
  const name = text.replaceAll(/[^\p{L}\p{N}._:-]/gu, '_');
  return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}
