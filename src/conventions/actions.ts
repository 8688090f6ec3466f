// Verbs and statuses that belong together.

/** Verbs whose status is spelled differently; the first value that the enum has is used. */
export const STATUSES_BY_VERB: Readonly<Record<string, readonly string[]>> = {
  accept: ['accepted', 'approved'],
  activate: ['active', 'enabled'],
  boot: ['running', 'booting', 'on', 'active'],
  capture: ['captured', 'succeeded', 'paid'],
  close: ['closed', 'completed', 'resolved', 'done'],
  complete: ['completed', 'done', 'finished'],
  confirm: ['confirmed', 'succeeded', 'processing'],
  deactivate: ['inactive', 'disabled'],
  deliver: ['delivered'],
  disable: ['disabled', 'inactive'],
  enable: ['enabled', 'active'],
  finalize: ['finalized', 'open'],
  freeze: ['frozen'],
  halt: ['halted', 'stopped', 'off'],
  hold: ['held', 'on_hold'],
  off: ['off', 'disabled', 'inactive', 'stopped'],
  on: ['on', 'enabled', 'active', 'running'],
  pay: ['paid'],
  poweroff: ['off', 'powered_off', 'poweredoff', 'stopped', 'shutoff'],
  poweron: ['on', 'powered_on', 'poweredon', 'running', 'active'],
  publish: ['published', 'live'],
  reboot: ['running', 'active'],
  reopen: ['open', 'reopened'],
  resolve: ['resolved', 'closed', 'done'],
  restart: ['running', 'in_progress', 'queued', 'started', 'active'],
  restore: ['active', 'restored'],
  resume: ['active', 'running', 'in_progress', 'queued'],
  retry: ['queued', 'pending', 'in_progress', 'running'],
  return: ['returned'],
  run: ['running', 'in_progress'],
  send: ['sent'],
  ship: ['shipped'],
  shutdown: ['off', 'shutdown', 'shut_down', 'shutoff', 'stopped', 'powered_off'],
  start: ['running', 'started', 'in_progress', 'active', 'on'],
  stop: ['stopped', 'stopping', 'off', 'shutoff'],
  submit: ['submitted', 'in_review', 'pending_review', 'pending'],
  succeed: ['succeeded', 'posted'],
  suspend: ['suspended'],
  unarchive: ['active', 'open'],
  unblock: ['active'],
  unpause: ['active'],
  unpublish: ['draft', 'unpublished'],
  unsuspend: ['active'],
  verify: ['verified'],
  void: ['void', 'voided'],
  voidinvoice: ['void'],
  withdraw: ['withdrawn'],
};

/** Verbs that undo others without saying so by `un`, `de` or `dis`. */
export const UNDOES: Readonly<Record<string, readonly string[]>> = {
  reactivate: ['deactivate', 'cancel'],
  reopen: ['close', 'complete', 'resolve'],
  restore: ['delete', 'archive', 'trash'],
  resume: ['pause', 'suspend'],
};

/** Statuses that a request brings about and that end by themselves. */
export const ENDED_STATUSES: Readonly<Record<string, readonly string[]>> = {
  canceling: ['canceled', 'cancelled'],
  cancelling: ['cancelled', 'canceled'],
  pausing: ['paused'],
  stopping: ['stopped'],
};

/** Statuses of work that has begun, the best one first. */
export const UNFINISHED_STATUSES: readonly string[] = [
  'in_progress',
  'running',
  'processing',
  'generating',
  'queued',
  'pending',
  'created',
  'incomplete',
];

/** The last words of types in the order in which events have them; the words of failures and of events without content are not here. */
export const OPENING_WORDS: readonly string[] =
  'created create init start started begin opened open added add in_progress'.split(' ');

export const CONTINUING_WORDS: readonly string[] =
  'delta chunk partial token piece append update text content message partial_image progress'.split(' ');

export const CLOSING_WORDS: readonly string[] =
  'done stop stopped finish finished final result close closed complete completed succeeded end ended'.split(' ');
