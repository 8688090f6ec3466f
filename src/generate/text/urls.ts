import { toSingular } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import type { Random } from '../../base/random.js';
import { pickSlug } from './words.js';

/** What another URL is made for. */
interface UrlPlace {
  /** The name of the property. */
  readonly name: string;
  /** A random stream that all properties of one object share, for each purpose. */
  shared(purpose: string): Random;
}

/** Whether a string is a URL without parameters in it. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^\s{}<>]+$/i.test(text);
}

/**
 * A URL like an example with another segment in its path, the same one in all URLs of an object: the last one with digits, else the last
 * one that its property is not named after, such as `octavia` in `followers_url: /users/octavia/followers`. One without a path gets one.
 */
export function varyUrl(example: string, place: UrlPlace): string | undefined {
  const [, host = '', path = '', rest = ''] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]+)?([^?#]*)(.*)$/i.exec(example) ?? [];
  const segments = path.split('/');
  const used = segments.flatMap((segment, i) => (segment === '' || VERSION.test(segment) ? [] : [i]));
  if (used.length === 0)
    return path.length > 1 ? undefined : `${host}/${pickSlug({ random: place.shared(host) })}${rest}`;
  const own = toBareName(place.name);
  const isNamed = (i: number): boolean => {
    const word = toBareName(splitName(segments[i])[0]);
    return own.includes(word) || own.includes(toSingular(word));
  };
  const at = used.findLast((i) => /\d/.test(segments[i] ?? '')) ?? used.findLast((i) => !isNamed(i)) ?? used.at(-1);
  const varied = segments.map((segment, i) => (i === at ? varySegment(segment, place) : segment)).join('/');
  return host + varied + rest;
}

/** Segments with the version of an API or a release. */
const VERSION = /^v?\d+(?:\.\d+)+$|^v\d+\w*$/i;

/** The name in a segment, and the extension of a file. */
function splitName(segment = ''): readonly [name: string, extension: string] {
  const [, name = segment, extension = ''] = /^([^.]+)((?:\.[a-z]\w*)?)$/i.exec(segment) ?? [];
  return [name, extension];
}

/** A segment with other digits, or of other words. */
function varySegment(segment: string, { shared }: UrlPlace): string {
  const random = shared(segment);
  if (!/\d/.test(segment)) return pickSlug({ random }) + splitName(segment)[1];
  return segment.replaceAll(/\d/g, () => random.text('0123456789', 1));
}
