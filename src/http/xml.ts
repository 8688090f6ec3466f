import type { Contract } from '../contract/contract.js';
import { isObject, type Schema, type SchemaObject } from '../contract/json.js';
import { readSegments, toPointer } from '../contract/pointer.js';
import { isXmlType } from './media-type.js';
import type { BodyWriter } from './response/encode.js';

interface Place {
  readonly schema: Schema;
  readonly pointer: string;
}

interface Element {
  readonly name: string;
  readonly value: unknown;
  readonly place: Place;
  readonly indent: string;
}

/** Creates the writer of XML bodies, by the `xml` keywords of their schema (OpenAPI 3.1 section 4.8.26). */
export function createXmlWriter(contract: Contract): BodyWriter {
  return ({ body, mediaType, schemaPointer }) => {
    if (mediaType === undefined || !isXmlType(mediaType)) return undefined;
    // An XML example of the document.
    if (typeof body === 'string' && body.trimStart().startsWith('<')) return body;
    const place = placeOf(contract, schemaPointer);
    const element = { name: rootName(contract, place), value: body, place, indent: '' };
    return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(contract, element)}`;
  };
}

function placeOf(contract: Contract, pointer: string | undefined): Place {
  const schema = pointer === undefined ? true : contract.at(pointer);
  return { schema: isObject(schema) ? schema : true, pointer: pointer ?? '' };
}

/** The name of the document element: `xml.name`, else the name of the schema it refers to, else `root`. */
function rootName(contract: Contract, place: Place): string {
  const target = contract.resolve(place.schema, place.pointer);
  const named = readXml(place.schema).name ?? readXml(target.schema).name;
  if (named !== undefined) return named;
  const segments = readSegments(target.pointer);
  const isComponent = segments.at(-2) === 'schemas' || segments.at(-2) === 'definitions';
  return isComponent ? toName(segments.at(-1) ?? 'root') : 'root';
}

function writeElement(contract: Contract, element: Element): string {
  const { value, indent } = element;
  const place = contract.resolve(element.place.schema, element.place.pointer);
  const xml = { ...readXml(place.schema), ...readXml(element.place.schema) };
  const name = toName(xml.prefix === undefined ? element.name : `${xml.prefix}:${element.name}`);
  const namespace =
    xml.namespace === undefined
      ? ''
      : ` xmlns${xml.prefix === undefined ? '' : `:${xml.prefix}`}="${escape(xml.namespace)}"`;
  if (Array.isArray(value)) return writeItems(contract, { ...element, name, place }, namespace);
  if (!isObject(value)) {
    return value === null || value === undefined
      ? `${indent}<${name}${namespace}/>\n`
      : `${indent}<${name}${namespace}>${escape(toText(value))}</${name}>\n`;
  }
  const attributes: string[] = [];
  const children: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const own = placeOfProperty(contract, place, key);
    const target = contract.resolve(own.schema, own.pointer);
    const innerXml = { ...readXml(target.schema), ...readXml(own.schema) };
    const innerName = innerXml.name ?? key;
    if (innerXml.attribute === true) attributes.push(` ${toName(innerName)}="${escape(toText(inner))}"`);
    else
      children.push(
        writeChild(
          contract,
          { name: innerName, value: inner, place: own, indent: `${indent}  ` },
          innerXml.wrapped === true,
        ),
      );
  }
  const open = `${indent}<${name}${namespace}${attributes.join('')}`;
  return children.length === 0 ? `${open}/>\n` : `${open}>\n${children.join('')}${indent}</${name}>\n`;
}

/** An array that is not wrapped has one element per item in its parent. */
function writeChild(contract: Contract, child: Element, isWrapped: boolean): string {
  if (!Array.isArray(child.value) || isWrapped) return writeElement(contract, child);
  const target = contract.resolve(child.place.schema, child.place.pointer);
  const items = placeOfItems(target);
  const name = readXml(items.schema).name ?? child.name;
  return child.value
    .map((value) => writeElement(contract, { name, value, place: items, indent: child.indent }))
    .join('');
}

function writeItems(contract: Contract, list: Element, namespace: string): string {
  const { name, indent } = list;
  const items = placeOfItems(list.place);
  const itemName =
    readXml(contract.resolve(items.schema, items.pointer).schema).name ??
    readXml(items.schema).name ??
    itemNameOf(contract, items, name);
  // The caller has checked the type.
  const values = list.value as readonly unknown[];
  const inner = values.map((value) =>
    writeElement(contract, { name: itemName, value, place: items, indent: `${indent}  ` }),
  );
  return `${indent}<${name}${namespace}>\n${inner.join('')}${indent}</${name}>\n`;
}

function itemNameOf(contract: Contract, items: Place, fallback: string): string {
  const name = rootName(contract, items);
  return name === 'root' ? (fallback === 'root' ? 'item' : fallback) : name;
}

function placeOfItems(place: Place): Place {
  const items = typeof place.schema === 'boolean' ? undefined : place.schema.items;
  return { schema: items ?? true, pointer: `${place.pointer}/items` };
}

function placeOfProperty(contract: Contract, place: Place, name: string): Place {
  const { schema, pointer } = contract.resolve(place.schema, place.pointer);
  if (typeof schema === 'boolean') return { schema: true, pointer };
  const own =
    schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (own !== undefined) return { schema: own, pointer: pointer + toPointer('properties', name) };
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, part] of (schema[keyword] ?? []).entries()) {
      const found = placeOfProperty(contract, { schema: part, pointer: `${pointer}/${keyword}/${i}` }, name);
      if (found.schema !== true) return found;
    }
  }
  return { schema: true, pointer };
}

function readXml(schema: Schema): NonNullable<SchemaObject['xml']> {
  return typeof schema !== 'boolean' && isObject(schema.xml) ? schema.xml : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** XML 1.0 production 5, roughly: a letter or underscore, then letters, digits, `.`, `-`, `_` and one prefix. */
function toName(text: string): string {
  const name = text.replaceAll(/[^\p{L}\p{N}._:-]/gu, '_');
  return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}

function escape(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // XML 1.0 does not allow other control characters, even escaped.
      // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
  );
}
