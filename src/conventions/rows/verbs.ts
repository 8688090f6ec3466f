/** Verbs of actions. */
export const VERBS = {
  /** The stems of participles: `delet` and `ed`. */
  removalStem: { where: 'verb', names: 'delet remov destroy eras purg unlink detach', seen: 'GitHub, Stripe' },
  /** A path that changes existing items by POST. */
  change: { where: 'segment', names: '*update* *upsert* *edit* *modify*', seen: 'Box, GitHub' },
  list: {
    where: 'verb',
    names: 'list aslist listall getall all index search query find',
    seen: 'Stripe, GitHub, Mopidy, Kea',
  },
  /** Continues work that was interrupted. */
  resume: { where: 'segment', names: '*resume *retry *restart *unpause *rerun', seen: 'GitHub, OpenAI' },
  /** Brings back what was removed. */
  restore: { where: 'segment', names: 'restore undelete untrash unremove recover reinstate', seen: 'GitHub' },
  disable: { where: 'segment', names: 'cancel disable deactivate (turn|switch|power)?off', seen: 'GitHub, OpenAI' },
  enable: { where: 'segment', names: '(re)?enable (re)?activate (turn|switch|power)?on', seen: 'GitHub, OpenAI' },
  /** Before the name of a flag: `make-default`. */
  mark: { where: 'verb', names: 'mark make set', seen: 'GitHub' },
  /** A member of a request whose values are actions. */
  sent: {
    where: 'property',
    names: '*action *event *command *transition *operation',
    seen: 'GitLab, Scaleway, Zoom',
  },
  create: { where: 'verb', names: 'create add new insert register open upload send post', seen: 'GitHub, OpenAI' },
  read: { where: 'verb', names: 'info get read retrieve show fetch lookup', seen: 'GitHub, Box, Mopidy' },
  update: { where: 'verb', names: 'update edit set rename modify change patch', seen: 'GitHub, OpenAI' },
  remove: { where: 'verb', names: 'delete remove destroy', seen: 'GitHub, OpenAI' },
  /** Creates, before a noun: `runJob`. */
  createNoun: { where: 'verb', names: 'allocate import put request run start submit', seen: 'Amazon Web Services' },
  readNoun: { where: 'verb', names: 'describe', seen: 'Amazon Web Services' },
  removeNoun: { where: 'verb', names: 'deregister', seen: 'Amazon Web Services' },
  /** Before a noun it changes a property: `setTopic`. */
  set: { where: 'verb', names: 'set update edit change', seen: 'GitHub, OpenAI' },
} as const;
