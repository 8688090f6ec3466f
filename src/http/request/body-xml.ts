import { createRequire } from 'node:module';
import type { parseXml, XmlElement } from '@rgrove/parse-xml';
import { addTo, setOwn } from '../../base/json.js';
import { toNote } from '../../schema/violation.js';
import type { TextTree } from '../text.js';
import { readXmlKeywords } from '../xml.js';
import { type BodyCodec, type BodyParts, countCharacter, decodeBytes, toMalformed, toNoText } from './body-codec.js';
import { isError } from '../../base/platform.js';

/** Bodies nested deeper, or with more tags, are refused before they cost memory. */
const MAX_DEPTH = 200;
const MAX_TAGS = 400_000;

/** `application/xml` and every `+xml`, read as the `xml` keywords of the schema say (OpenAPI 3.1, XML Object). */
export const decodeXml: BodyCodec = ({ bytes, type, media }, parts) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return toNoText(type);
  const root = readXml(text);
  if (typeof root === 'string') return toMalformed(`the body is not valid XML: ${root}`);
  if (media?.schema === undefined) {
    const message = 'the XML body is not checked: its media type has no schema';
    return { value: toPlainTree(root), violations: [toNote({ code: 'BODY_UNCHECKED', in: 'body', message })] };
  }
  // A string with tags is the XML text itself.
  const isWhole = parts.shapes(media.schemaPointer).types.has('string') && listChildren(root).length > 0;
  if (isWhole) return { value: text };
  return { value: parts.coerce(toTree(root, media.schemaPointer, parts), media.schemaPointer) };
};

/** The document element of an XML text, or why the text is refused; a document type is, because it can define entities. */
function readXml(text: string): XmlElement | string {
  if (countCharacter(text, '<') > MAX_TAGS) return `it has more than ${MAX_TAGS} tags`;
  // Loaded with the first XML body: few contracts have one. A body is decoded synchronously, so `import()` cannot be used.
  const library = createRequire(import.meta.url)('@rgrove/parse-xml') as { readonly parseXml: typeof parseXml };
  try {
    const { children, root } = library.parseXml(text, { preserveDocumentType: true });
    if (children.some(({ type }) => type === 'doctype')) return 'a document type declaration is not accepted';
    if (root === null) return 'it has no document element';
    return isDeeper(root, MAX_DEPTH) ? `it is nested more than ${MAX_DEPTH} levels deep` : root;
  } catch (error) {
    // The parser is recursive: it runs out of stack only far below `MAX_DEPTH`.
    if (error instanceof RangeError) return `it is nested more than ${MAX_DEPTH} levels deep`;
    // The first line has the reason, line and column; the others show the text.
    return isError(error) ? (error.message.split('\n')[0] ?? '') : String(error);
  }
}

function isDeeper(element: XmlElement, levels: number): boolean {
  return levels === 0 || listChildren(element).some((child) => isDeeper(child, levels - 1));
}

function listChildren({ children }: XmlElement): readonly XmlElement[] {
  return children.filter((child) => child.type === 'element') as XmlElement[];
}

/** An element as the tree its schema describes. */
function toTree(element: XmlElement, pointer: string, parts: BodyParts): TextTree {
  const shape = parts.shapes(pointer);
  if (shape.types.has('array') && shape.element !== undefined) {
    const { element: items } = shape;
    return listChildren(element).map((child) => toTree(child, items, parts));
  }
  if (shape.members.size === 0) {
    const isText = !shape.types.has('object') && listChildren(element).length === 0;
    const tree = isText ? undefined : toPlainTree(element);
    // An element without content is an object without members.
    if (tree !== undefined) return tree === '' && shape.types.has('object') ? {} : tree;
    return shape.types.has('string') ? element.text : element.text.trim();
  }
  const tree: Record<string, TextTree> = {};
  const taken = new Set<XmlElement>();
  for (const [property, at] of shape.members) {
    const value = readProperty(element, { property, at, parts, taken });
    if (value !== undefined) setOwn(tree, property, value);
  }
  for (const child of listChildren(element))
    if (!taken.has(child)) setOwn(tree, toLocal(child.name), toPlainTree(child));
  return tree;
}

function readProperty(
  element: XmlElement,
  of: { readonly property: string; readonly at: string; readonly parts: BodyParts; readonly taken: Set<XmlElement> },
): TextTree | undefined {
  const { property, at, parts, taken } = of;
  const xml = readKeywords(at, parts);
  const name = xml.name ?? property;
  if (xml.isText) return element.text;
  if (xml.isAttribute)
    return Object.entries(element.attributes).find(([attribute]) => toLocal(attribute) === name)?.[1];
  const shape = parts.shapes(at);
  const take = (wanted: string): readonly XmlElement[] => {
    const found = listChildren(element).filter((child) => toLocal(child.name) === wanted);
    for (const child of found) taken.add(child);
    return found;
  };
  if (!shape.types.has('array')) {
    const trees = take(name).map((child) => toTree(child, at, parts));
    return trees.length > 1 ? trees : trees[0];
  }
  const { element: items } = shape;
  const toItem = (child: XmlElement): TextTree =>
    items === undefined ? toPlainTree(child) : toTree(child, items, parts);
  if (xml.isWrapped) {
    const [list] = take(name);
    return list === undefined ? undefined : listChildren(list).map(toItem);
  }
  // Not wrapped, the items stand side by side and are called by the name of the items.
  const own = take((items === undefined ? undefined : readKeywords(items, parts).name) ?? name);
  return own.length === 0 ? undefined : own.map(toItem);
}

/** The `xml` keywords at a pointer, with the local part of the name. */
function readKeywords(pointer: string, parts: BodyParts): ReturnType<typeof readXmlKeywords> {
  const keywords = readXmlKeywords(parts.at(parts.shapes(pointer).pointer), parts.at(pointer));
  return { ...keywords, name: keywords.name === undefined ? undefined : toLocal(keywords.name) };
}

/** An element without a schema: its text, or its attributes and children by name. */
function toPlainTree(element: XmlElement): TextTree {
  const tree: Record<string, TextTree> = {};
  for (const [name, value] of Object.entries(element.attributes)) {
    if (!name.startsWith('xmlns')) setOwn(tree, toLocal(name), value);
  }
  const groups = new Map<string, TextTree[]>();
  for (const child of listChildren(element)) addTo(groups, toLocal(child.name), toPlainTree(child));
  for (const [name, [first = '', ...rest]] of groups) setOwn(tree, name, rest.length === 0 ? first : [first, ...rest]);
  return Object.keys(tree).length === 0 ? element.text.trim() : tree;
}

function toLocal(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
