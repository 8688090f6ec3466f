/** Properties whose first value is known. */
export const VALUES = {
  /** Numbers that are 0 on a new item. */
  zero: {
    where: 'property',
    names: `
      *counts? count* total* num* numberof* usage* *total *usage *used *attempts *retries *views *likes *followers
      *stars *forks *watchers *comments *received *balance *downloads amount* progress* *percent(age)?
    `,
    seen: 'Stripe, GitHub',
  },
  /** Before the name of what is counted. */
  countPrefix: { where: 'property', names: 'total num numberof count', seen: 'GitHub, Stripe' },
  /** A server sets it on every item. */
  ofServer: {
    where: 'property',
    names: `
      *secret *token *key *url *uri *href *links? *slug *sid *number *version *status *state *phase *etag
      *fingerprint *hash *checksum
    `,
    seen: 'GitHub, Stripe',
  },
  /** True from the beginning. */
  true: { where: 'property', names: '(is)?(active|enabled|available|valid|live)(flag)?', seen: 'GitHub, Stripe' },
  /** Documents shorten these. */
  shortened: {
    where: 'property',
    names: 'url uri email name title text content body phone address amount description reference',
    seen: 'GitHub, Box',
  },
  active: { where: 'property', names: '(is)?(active|enabled)(flag)?', seen: 'GitHub, Box' },
  listLength: {
    where: 'property',
    names: 'total count total(count|items|results|elements) numberofelements resultcount',
    seen: 'GitHub, Stripe',
  },
  /** A word of a boolean that is false in a normal state. */
  falseWord: {
    where: 'word',
    names: `
      more archived blocked banned cancelled canceled disabled error expired failed hidden locked suspended
      revoked test
    `,
    seen: 'GitHub, OpenAI',
  },
  /** A word of a boolean that is true in a normal state. */
  trueWord: { where: 'word', names: 'active enabled ok success valid available deleted live', seen: 'GitHub, Stripe' },
} as const;
