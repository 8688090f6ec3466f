import type { ItemProperty } from '../item-schema.js';

const MOMENT =
  /^(created|updated|modified|last_?modified|inserted)(_?(at|on|date|time|timestamp|datetime))?$|^(date|time)_?(created|updated|modified)$|^(creation|modification|last_?update)_?(date|time)$/i;

const CHANGE = /updat|modif/i;

/** Whether a property tells when an item was made or last changed. */
export function isMoment(property: ItemProperty): boolean {
  return MOMENT.test(property.name) && readUnit(property) !== undefined;
}

/** Whether a property tells when an item was last changed. */
export function isChangeMoment(property: ItemProperty): boolean {
  return isMoment(property) && CHANGE.test(property.name);
}

/** Whether a property notes when an item came to a status: `cancelled_at` for `cancelled`. */
export function isMomentOf(property: ItemProperty, status: string): boolean {
  const name = property.name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const word = status.toLowerCase().replaceAll(/[^a-z]/g, '');
  return (name === `${word}at` || name === `${word}on` || name === `${word}date`) && readUnit(property) !== undefined;
}

/** An instant the way a property writes it: seconds, or milliseconds where the schema speaks of them, or a date text. */
export function writeMoment(property: ItemProperty, now: number): unknown {
  return createMomentWriter(property)(now);
}

/** The same for a property that writes many. */
export function createMomentWriter(property: ItemProperty): (now: number) => unknown {
  switch (readUnit(property)) {
    case 'seconds':
      return (now) => Math.floor(now / 1000);
    case 'milliseconds':
      return (now) => now;
    case 'date':
      return (now) => new Date(now).toISOString().slice(0, 10);
    default:
      return (now) => new Date(now).toISOString();
  }
}

function readUnit(property: ItemProperty): 'date' | 'milliseconds' | 'seconds' | 'text' | undefined {
  const { schema } = property;
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((each) => each !== 'null');
  if (type === 'integer' || type === 'number') {
    const examples = [schema.example, ...(Array.isArray(schema.examples) ? schema.examples : [])];
    const long = examples.some((example) => typeof example === 'number' && example > 100_000_000_000);
    return long || /millisecond/i.test(schema.description ?? '') ? 'milliseconds' : 'seconds';
  }
  if (type !== 'string' || schema.pattern !== undefined) return undefined;
  if (schema.format === 'date') return 'date';
  return schema.format === 'date-time' || schema.format === undefined ? 'text' : undefined;
}
