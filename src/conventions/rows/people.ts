/** Names of people, and of the user of a request. */
export const PEOPLE = {
  /** The user of a request. */
  own: { where: 'segment', names: 'me @me self user current(user)? viewer -', seen: 'Box, GitHub' },
  /** Collections in which the user of a request is an item. */
  collection: {
    where: 'segment',
    names: 'users? members? people persons? profiles? accounts?',
    seen: 'GitHub, Stripe',
  },
  noun: {
    where: 'schema',
    names: `
      *user* *person* *people* *customer* *owner* *author* *member* *contact* *employee* *patient* *student*
      *passenger* *driver* *guest* *sender* *recipient* *profile* *holder*
    `,
    seen: 'Stripe, GitHub',
  },
} as const;
