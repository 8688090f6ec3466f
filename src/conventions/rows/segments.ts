/** Segments of paths, and words of operations in place of them. */
export const SEGMENTS = {
  content: {
    where: 'segment',
    names: 'contents? download raw file body pdf data media blob bytes',
    seen: 'GitHub, OpenAI',
  },
  copy: { where: 'segment', names: 'copy clone duplicate fork remix replicate', seen: 'Box, GitHub' },
  /** Creates or changes several items. */
  batch: {
    where: 'segment',
    names: `
      *bulk* *batch* *man(y|ies)* *multiple* *import* *create* *add* *insert* *upsert* *update* *replace* *list*
    `,
    seen: 'GitHub, OpenAI',
  },
  /** Before an action of an item: `/servers/{id}/actions/poweroff`. */
  actions: {
    where: 'segment',
    names: 'actions? operations? commands? status power lifecycle transitions?',
    seen: 'Hetzner, Mailchimp, Proxmox',
  },
  upload: { where: 'segment', names: 'contents? uploads? files?', seen: 'GitHub, OpenAI' },
  remove: { where: 'segment', names: '*delete* *remove* *destroy*', seen: 'GitHub, OpenAI' },
  count: { where: 'segment', names: 'count total size', seen: 'GitHub' },
  singleton: {
    where: 'segment',
    names: 'me self current whoami profile account settings config configuration preferences balance',
    seen: 'GitHub, Stripe',
  },
  search: { where: 'segment', names: 'search* query* list* filter* find* lookup*', seen: 'Stripe, GitHub' },
  /** Reads several items by their ids. */
  several: {
    where: 'segment',
    names: `
      (batch|bulk|multi)(get|read|retrieve|fetch) (get|read|retrieve|fetch)(batch|bulk|many|multiple)
    `,
    seen: 'Square',
  },
  /** Names of collections; others, such as `agent` and `global`, have no id behind them. */
  plural: { where: 'segment', names: '*s people media data children', seen: 'GitHub, Stripe' },
  latest: { where: 'segment', names: 'latest newest last (most)?recent', seen: 'GitHub' },
} as const;
