import { isObject, setOwn } from '../../contract/json.js';
import { toNote } from '../../schema/violation.js';
import type { TextTree } from '../text.js';
import { readXml, type XmlElement, XmlError } from '../xml-text.js';
import { type BodyCodec, type BodyParts, decodeBytes, toMalformed } from './body-codec.js';

/** `application/xml` and every `+xml`, read as the `xml` keywords of the schema say (OpenAPI 3.1, XML Object). */
export const decodeXml: BodyCodec = ({ bytes, type, media }, parts) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return toMalformed(`the body is not ${type.parameters['charset'] ?? 'UTF-8'} text`);
  try {
    const root = readXml(text);
    if (media?.schema === undefined) {
      const note = toNote({
        code: 'BODY_UNCHECKED',
        in: 'body',
        message: 'the XML body is not checked: no schema says how',
      });
      return { value: toPlainTree(root), violations: [note] };
    }
    if (parts.shapes(media.schemaPointer).types.has('string')) return { value: text };
    return { value: parts.coerce(toTree(root, media.schemaPointer, parts), media.schemaPointer) };
  } catch (error) {
    if (error instanceof XmlError) return toMalformed(`the body is not XML: ${error.message}`);
    throw error;
  }
};

/** An element as the tree its schema describes. */
function toTree(element: XmlElement, pointer: string, parts: BodyParts): TextTree {
  const shape = parts.shapes(pointer);
  if (shape.types.has('array') && shape.items !== undefined) {
    const { items } = shape;
    return element.children.map((child) => toTree(child, items, parts));
  }
  if (shape.properties.size === 0) return toPlainTree(element);
  const tree: Record<string, TextTree> = {};
  const taken = new Set<XmlElement>();
  for (const [property, at] of shape.properties) {
    const value = readProperty(element, { property, at, parts, taken });
    if (value !== undefined) setOwn(tree, property, value);
  }
  for (const child of element.children) if (!taken.has(child)) setOwn(tree, toLocal(child.name), toPlainTree(child));
  return tree;
}

function readProperty(
  element: XmlElement,
  of: { readonly property: string; readonly at: string; readonly parts: BodyParts; readonly taken: Set<XmlElement> },
): TextTree | undefined {
  const { property, at, parts, taken } = of;
  const xml = readXmlKeywords(at, parts);
  const name = xml.name ?? property;
  if (xml.attribute) return [...element.attributes].find(([attribute]) => toLocal(attribute) === name)?.[1];
  const shape = parts.shapes(at);
  const take = (wanted: string): readonly XmlElement[] => {
    const found = element.children.filter((child) => toLocal(child.name) === wanted);
    for (const child of found) taken.add(child);
    return found;
  };
  if (!shape.types.has('array')) {
    const own = take(name);
    const [first] = own;
    if (own.length > 1) return own.map((child) => toTree(child, at, parts));
    return first === undefined ? undefined : toTree(first, at, parts);
  }
  const { items } = shape;
  const toItem = (child: XmlElement): TextTree =>
    items === undefined ? toPlainTree(child) : toTree(child, items, parts);
  if (xml.wrapped) return take(name)[0]?.children.map(toItem);
  // Not wrapped, the items stand side by side and are called by the name of the items.
  const own = take((items === undefined ? undefined : readXmlKeywords(items, parts).name) ?? name);
  return own.length === 0 ? undefined : own.map(toItem);
}

/** The `xml` keywords at a pointer: those beside a `$ref` come before those it leads to. */
function readXmlKeywords(
  pointer: string,
  parts: BodyParts,
): { readonly name: string | undefined; readonly attribute: boolean; readonly wrapped: boolean } {
  const schemas = [parts.at(parts.shapes(pointer).pointer), parts.at(pointer)];
  const merged: Record<string, unknown> = {};
  for (const schema of schemas) if (isObject(schema) && isObject(schema['xml'])) Object.assign(merged, schema['xml']);
  const name = merged['name'];
  return {
    name: typeof name === 'string' ? toLocal(name) : undefined,
    // OpenAPI 3.2 says `nodeType: attribute`.
    attribute: merged['attribute'] === true || merged['nodeType'] === 'attribute',
    wrapped: merged['wrapped'] === true || merged['nodeType'] === 'element',
  };
}

/** An element of which no schema speaks: its text, or its attributes and children by name. */
function toPlainTree(element: XmlElement): TextTree {
  if (element.children.length === 0 && element.attributes.size === 0) return element.text;
  const tree: Record<string, TextTree> = {};
  for (const [name, value] of element.attributes) if (!name.startsWith('xmlns')) setOwn(tree, toLocal(name), value);
  for (const [name, children] of groupByName(element.children)) {
    const [first] = children;
    if (first !== undefined) setOwn(tree, name, children.length === 1 ? toPlainTree(first) : children.map(toPlainTree));
  }
  return element.children.length === 0 && Object.keys(tree).length === 0 ? element.text : tree;
}

function groupByName(elements: readonly XmlElement[]): ReadonlyMap<string, readonly XmlElement[]> {
  const groups = new Map<string, XmlElement[]>();
  for (const element of elements) {
    const name = toLocal(element.name);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [element]);
    else group.push(element);
  }
  return groups;
}

function toLocal(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
