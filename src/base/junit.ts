import { escapeMarkup } from './text.js';

/** A test case of a JUnit report; without `outcome` it passed. */
export interface JunitCase {
  readonly group: string;
  readonly name: string;
  readonly outcome?: {
    readonly element: 'failure' | 'error' | 'skipped';
    readonly message: string;
    readonly type?: string;
    readonly text?: string;
  };
}

/** A suite of a JUnit report. */
export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** A JUnit report. */
export function writeJunit(suites: readonly JunitSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${writeCounts(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${escape(name)}" ${writeCounts(cases)}>`,
      ...cases.map(writeCase),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ].join('\n');
}

function writeCounts(cases: readonly JunitCase[]): string {
  const count = (element: string): number => cases.filter(({ outcome }) => outcome?.element === element).length;
  const results = `failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return `tests="${cases.length}" ${results}`;
}

function writeCase({ group, name, outcome }: JunitCase): string {
  const open = `    <testcase classname="${escape(group)}" name="${escape(name)}"`;
  if (outcome === undefined) return `${open}/>`;
  const { element, message, type, text } = outcome;
  const about = `${type === undefined ? '' : ` type="${type}"`} message="${escape(message)}"`;
  const inner = text === undefined ? '/>' : `>${escape(text)}</${element}>`;
  return `${open}><${element}${about}${inner}</testcase>`;
}

/** A line break in an attribute would be read as a space. */
function escape(text: string): string {
  return escapeMarkup(text).replaceAll('\n', '&#10;');
}
