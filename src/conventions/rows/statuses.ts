/** Statuses and flags of work. */
export const STATUSES = {
  name: { where: 'property', names: '*status *state *phase', seen: 'GitHub, Stripe' },
  /** By themselves these do not mean work in progress. */
  begun: { where: 'value', names: 'notstarted new created submitted accepted received', seen: 'GitHub, Stripe' },
  queued: { where: 'value', names: 'queued enqueued waiting pending', seen: 'GitHub, OpenAI' },
  preparing: {
    where: 'value',
    names: 'validating* preparing* initializing* starting* provisioning* allocating* booting* building*',
    seen: 'GitHub, OpenAI',
  },
  /** The statuses of an item that is built once and then exists: a server, a database. */
  setup: {
    where: 'value',
    names: 'initializing* starting* provisioning* allocating* booting* building* creating* deploying*',
    seen: 'GitHub',
  },
  setUp: {
    where: 'value',
    names: 'active running available online deployed enabled live healthy',
    seen: 'GitHub, Box',
  },
  running: {
    where: 'value',
    names: `
      inprogress running processing executing working started importing exporting generating indexing creating
      uploading deploying converting transcribing analyzing rendering encoding installing syncing
    `,
    seen: 'GitHub, Box',
  },
  /** The statuses of an answer that is streamed. */
  partial: { where: 'value', names: 'streaming partial incomplete', seen: 'Stripe, Box' },
  finishing: { where: 'value', names: 'finalizing* finishing* completing*', seen: 'Box, OpenAI' },
  /** Waits for the client. */
  waiting: { where: 'value', names: 'requires* awaiting* needs*', seen: 'Stripe, GitHub' },
  done: {
    where: 'value',
    names: 'succeeded success successful completed? done finished processed ready',
    seen: 'Box, GitHub',
  },
  /** No existing item has one of these. */
  removed: { where: 'value', names: 'deleted removed trashed', seen: 'Box, GitHub' },
  /** Work that ended without success. */
  failed: {
    where: 'value',
    names: '*fail* *error* *timedout* *timeout* *denied* *abort* *reject*',
    seen: 'OpenAI, GitHub',
  },
  /** What a create, or a change, did. */
  made: { where: 'value', names: 'created inserted added', seen: 'Elastic' },
  changed: { where: 'value', names: 'updated changed modified', seen: 'Elastic' },
  /** The request itself succeeded. */
  success: { where: 'value', names: 'ok(ay)? success(ful)? succeeded', seen: 'Cloudinary, JSend' },
  /** The request itself did not, beside `failed`. */
  refused: { where: 'value', names: 'ko notfound warning invalid partial(success)? unauthorized', seen: 'Cloudinary' },
  canceled: { where: 'value', names: 'cancell?ed', seen: 'GitHub, OpenAI' },
  inactive: { where: 'value', names: 'disabled inactive deactivated', seen: 'Box, GitHub' },
  /** No new item has one of these. */
  later: {
    where: 'value',
    names: `
      *cancel* *fail* *delet* *expir* *clos* *complet* *succe* *reject* *revok* *archiv* *pastdue* *unpaid*
      *ended* *lost* *won* *void* *inactive* *disabled* *error* *refund* *return* *deliver* *sold* *frozen*
      *suspend* *incomplete* *paused* *block* *lock*
    `,
    seen: 'Stripe, OpenAI',
  },
  /** A flag of work that is done. */
  doneFlag: { where: 'property', names: '(is)?(done|completed?|finished)', seen: 'Box, GitHub' },
  /** The result of a long-running operation. */
  response: { where: 'property', names: 'response result output', seen: 'GitHub, OpenAI' },
  /** Holds the result of an item whose work is done. */
  result: {
    where: 'property',
    names: 'outputs? results? response (output|result)(file)?(url|uri|text|data|id)? downloadurl',
    seen: 'OpenAI, GitHub',
  },
  /** The likeliest first. */
  main: { where: 'property', names: 'status state phase', seen: 'Box, GitHub' },
  /** The likeliest first. */
  initial: {
    where: 'value',
    names: 'new created draft queued pending open active enabled available inprogress',
    seen: 'GitHub, Box',
  },
  none: { where: 'value', names: '*unspecified* *unknown* none', seen: 'GitHub, Stripe' },
} as const;
