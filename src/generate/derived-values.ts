import { isIdValue } from '../base/exact-number.js';
import { readMember } from '../base/json.js';

/** The template of a property that is derived from others: `{name}` copies, `{name:lower}` changes, other text is joined. */
type Item = Readonly<Record<string, unknown>>;

/** How a value is derived from another one, by the name of the change in a template. */
export const DERIVATIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  lower: (value) => (typeof value === 'string' ? value.toLowerCase() : undefined),
  upper: (value) => (typeof value === 'string' ? value.toUpperCase() : undefined),
  slug: (value) => (typeof value === 'string' ? toSlug(value) : undefined),
  count: (value) => (Array.isArray(value) || typeof value === 'string' ? value.length : undefined),
};

/** Fills a template with the values of an item; undefined if the item lacks one of its sources, or the template has an unknown change. */
export function fillDerived(template: string, item: Item): unknown {
  const [, only, change] = WHOLE.exec(template) ?? [];
  if (only !== undefined) return derive(readMember(item, only), change);
  let isWhole = true;
  const text = template.replaceAll(PLACEHOLDER, (_, name: string, how: string | undefined) => {
    const value = derive(readMember(item, name), how);
    isWhole &&= isIdValue(value);
    return String(value);
  });
  return isWhole ? text : undefined;
}

const WHOLE = /^\{([^{}:]+)(?::(\w+))?\}$/;
const PLACEHOLDER = /\{([^{}:]+)(?::(\w+))?\}/g;

function derive(value: unknown, change: string | undefined): unknown {
  return change === undefined ? value : DERIVATIONS[change]?.(value);
}

/** Small letters and digits, with a hyphen in place of everything else. */
function toSlug(text: string): string {
  const words = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return words.replaceAll(/^-|-$/g, '');
}
