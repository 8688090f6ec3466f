/** Dates and times. */
export const TIMES = {
  /** When an item was created or changed. */
  stamp: {
    where: 'property',
    names: `
      (created|updated|modified|lastmodified|inserted)(at|on|date|time|timestamp|datetime)?
      (date|time)(created|updated|modified) (creation|modification|lastupdate)(date|time)
    `,
    seen: 'GitHub, Box',
  },
  /** When work was done. */
  finished: {
    where: 'property',
    names: '(completed|finished|ended|done|completion|end|finish)(at|on|time|date)',
    seen: 'OpenAI, Stripe',
  },
  /** When work began. */
  started: { where: 'property', names: '(started|start)(at|on|time|date)', seen: 'GitHub, OpenAI' },
  /** The beginning of what a new item is about. */
  start: {
    where: 'property',
    names: '*start* *begin* *effective* *issued* *since* *(valid|from)(at|on|date|time)?',
    seen: 'GitHub, Stripe',
  },
  /** A time without a word such as `at`; not `created_by` and `expires_in`. */
  participle: { where: 'property', names: 'created updated modified expires', seen: 'GitHub, Stripe' },
  /** The earliest or the latest time of the items of a list. */
  bound: {
    where: 'parameter',
    names: `
      (created|updated|modified|changed)?(at|on|date|time)?(since|after|from|startingafter|until|before|to|endingbefore)(date|time|timestamp)?
    `,
    seen: 'GitHub, OpenAI',
  },
  latest: { where: 'parameter', names: '*(until|before|to|endingbefore)(date|time|timestamp)?', seen: 'GitHub, Box' },
  format: { where: 'format', names: 'datetime timestamp iso8601', seen: 'GitHub, Box' },
  suffix: { where: 'word', names: 'at on date time timestamp datetime ts utc epoch unix day', seen: 'GitHub, Stripe' },
  /** Since when an operation is deprecated. */
  deprecated: {
    where: 'extension',
    names: 'xdeprecatedat xdeprecatedsince xdeprecationdate xdeprecated',
    seen: 'Zuplo',
  },
} as const;
