/** One element of an XML document; namespaces stay in the names as prefixes. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text directly inside, white space at both ends left out. */
  readonly text: string;
}

/** Why a text is not XML. Thrown inside this folder and never let out. */
export class XmlError extends Error {}

/** Deeper documents are refused. */
const DEEPEST = 200;
/** Larger documents are refused. */
const MOST_ELEMENTS = 200_000;

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

interface Open {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads the document element of an XML text: elements, attributes, text, CDATA and the standard entities.
 *
 * A document type is refused: entities of its own making are how a few bytes of XML become gigabytes.
 * @throws XmlError where the text is not well-formed.
 */
export function readXml(text: string): XmlElement {
  const open: Open[] = [];
  const roots: XmlElement[] = [];
  const finish = (name: string): void => {
    const done = closeElement(open, name);
    if (open.length === 0) roots.push(done);
  };
  let at = 0;
  let count = 0;
  for (let next = text.indexOf('<'); next !== -1; next = text.indexOf('<', at)) {
    addText(open, text.slice(at, next));
    at = skipAside(text, next, open) ?? readTag(text, next, { open, finish });
    count += 1;
    if (count > 2 * MOST_ELEMENTS) throw new XmlError(`it has more than ${MOST_ELEMENTS} elements`);
    if (roots.length > 1) throw new XmlError('it has more than one document element');
    if (open.length > DEEPEST) throw new XmlError(`it is nested more than ${DEEPEST} deep`);
  }
  addText(open, text.slice(at));
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw new XmlError(`<${unclosed.name}> is not closed`);
  const [root] = roots;
  if (root === undefined) throw new XmlError('it has no document element');
  return root;
}

const ASIDES = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
] as const;

/** Passes over a comment, an instruction or a CDATA section, and says where it ends; undefined for a tag. */
function skipAside(text: string, at: number, open: readonly Open[]): number | undefined {
  for (const [begin, end] of ASIDES) {
    if (!text.startsWith(begin, at)) continue;
    const stop = text.indexOf(end, at + begin.length);
    if (stop === -1) throw new XmlError(`"${begin}" is not ended by "${end}"`);
    if (begin === '<![CDATA[') addRaw(open, text.slice(at + begin.length, stop));
    return stop + end.length;
  }
  if (text.startsWith('<!', at)) throw new XmlError('it has a document type, which is not taken');
  return undefined;
}

const TAG = String.raw`<(?<slash>\/?)(?<name>[^\s<>\/!?]+)(?<rest>(?:\s+[^\s<>=\/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>`;

/** Reads one opening or closing tag, and says where it ends. */
function readTag(
  text: string,
  at: number,
  to: { readonly open: Open[]; readonly finish: (name: string) => void },
): number {
  const pattern = new RegExp(TAG, 'y');
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const { slash = '', name = '', rest = '', empty = '' } = match?.groups ?? {};
  if (match === null || (slash !== '' && (rest !== '' || empty !== ''))) {
    throw new XmlError(`a tag is not written right: ${JSON.stringify(text.slice(at, at + 40))}`);
  }
  if (slash === '') to.open.push({ name, attributes: readAttributes(rest), children: [], text: '' });
  if (slash !== '' || empty !== '') to.finish(name);
  return pattern.lastIndex;
}

function closeElement(open: Open[], name: string): XmlElement {
  const element = open.pop();
  if (element === undefined) throw new XmlError(`</${name}> closes nothing`);
  if (element.name !== name) throw new XmlError(`<${element.name}> is closed by </${name}>`);
  const done = { ...element, text: element.text.trim() };
  open.at(-1)?.children.push(done);
  return done;
}

function addText(open: readonly Open[], raw: string): void {
  if (raw.trim() === '') return;
  if (open.length === 0 && raw.trim() !== '\uFEFF') throw new XmlError('there is text outside the document element');
  addRaw(open, decodeEntities(raw));
}

function addRaw(open: readonly Open[], text: string): void {
  const element = open.at(-1);
  if (element !== undefined) element.text += text;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  if (text === '') return NO_ATTRIBUTES;
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    attributes.set(name, decodeEntities(double ?? single ?? ''));
  }
  return attributes;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-fA-F]+|#\d+|\w+);/g, (whole, name: string) => {
    const character = ENTITIES.get(name);
    if (character !== undefined) return character;
    if (!name.startsWith('#')) throw new XmlError(`the entity ${whole} is not defined`);
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    if (!(code <= 0x10ffff)) throw new XmlError(`${whole} is not a character`);
    return String.fromCodePoint(code);
  });
}
