// Names with parts: those whose words alone do not say what they mean.

/** The verb of a parameter that asks for something: `include_usage`, bare. */
export const ASKING_VERB: RegExp = /^(include|return|with|send|show|add)/;

/** The verb of a parameter that asks for other items, too: `with_archived`. */
export const INCLUDING_VERB: RegExp = /^(include|with|show)[-_]?(?=[a-z])/i;

/** Names of the two ends of a range of time: `start_date` and `end_date`. */
export const RANGE_END: RegExp = /^(start|begin|end)(date|time|datetime|at|on)$/;

/** The name of a property with an operator behind it: `status[ne]`, `title__contains`, `status_in`. */
export const COMPARED_NAME: RegExp = /^(.+?)(?:__?|\[)([a-z]+)\]?$/i;

/** A parameter that leaves items out, before the name of a property: `exclude_status`, `notStatus`. */
export const EXCLUDED_NAME: RegExp = /^(?:exclude|except|not)(?:[-_]|(?=[A-Z]))(.+)$/;

/** A parameter of Elasticsearch and its relatives that names the properties to show, or those not to. */
export const SOURCE_FIELDS: RegExp = /^_source(_includes?|_excludes?)?$/;

/** A segment that is a version of the API. */
export const VERSION: RegExp = /^v\d+(\.\d+)*((alpha|beta|rc)\d*)?$/i;

/** Segments that name no items: `/api/0`. */
export const PREFIX: RegExp = /^(api|rest|rpc|\d+(\.\d+)*|v\d+([._]\d+)*((alpha|beta|rc)\d*)?)$/i;

/** A segment with the version of the API as a parameter: `v{version}`, `{api-version}`. */
export const CHOSEN_VERSION: RegExp = /^v?\{(api[-_]?)?v(er|ersion)?(:[^{}]*)?\}$/i;

/** The end of the name of a parameter, after the noun: `{projectKey}`, `{team_id_or_slug}`. */
export const ID_PART: RegExp = /[-_]?(id|key|slug|name|uuid|guid|gid|sid|uid|code|number|handle)([-_]?or[-_]?\w+)?$/i;

/** Names of dates and times; an integer can be anything else. */
export const INSTANT_NAME: RegExp =
  /(_at|_on|_date|_time|_?timestamp|_until|_expires|period_?(start|end)|_start|_end)$|[a-z](At|On|Date|Time|Timestamp|Until)$|^(date|timestamp|expires|expiry|expiration)$/;

/** Names of strings that are a date or a time. */
export const DATED_NAME: RegExp = /date|timestamp/i;

/** The separator of two kinds of keys in the name of a parameter: `id_or_slug`, `idOrName`. */
export const KEY_SEPARATOR: RegExp = /[-_]or[-_]|(?<=[a-z])Or(?=[A-Z])/;

/** The bare name of a parameter or property that names an item of another kind, and how: `user` and `id` of `userid`. */
export const KEY_OF_OTHER: RegExp = /^(.+?)(id|uuid|sid|login|slug|code|key)$/;

/** The name of the masked form of another property: `redacted_value` for `value`. */
export const MASKED_NAME: RegExp = /^(?:redacted|masked|obfuscated)_?(.+)$/i;

/** The last word of a bare name that has a participle before it: `archived_at`. */
export const TIME_ENDING: RegExp = /(at|on|date)$/;

/** The bare name of a count with what it counts: `totalorders`, `orderscount`, `numorders`. */
export const COUNT_OF: RegExp =
  /^(?:total|num(?:ber)?(?:of)?|nb|count(?:of)?)(?<before>.+)$|^(?<after>.+?)(?:total|count)$/;

/** What a past participle has behind the stem of its verb: `archiv` and `ed`, `cancel` and `led`, `hid` and `den`. */
export const PARTICIPLE_ENDING: RegExp = /^([a-z]?ed|ied|den)$/;

/** What a present participle has behind the stem of its verb: `paus` and `ing`. */
export const RUNNING_ENDING: RegExp = /^([a-z]?ing|ying)$/;

/** A verb that undoes another one: `unarchive`, `deactivate`, `disconnect`. */
export const UNDOING_PREFIX: RegExp = /^(?:un|de|dis)([a-z]{3,})$/;

/** A prefix of a verb that is written apart from it: `re-enable`. */
export const SEPARATE_PREFIX: RegExp = /^(re|un|de|dis)[-_](?=[a-z])/i;

/** The first word of an object that leads to another page: `next` of `next_page`. */
export const PAGE_TURN: RegExp = /^(next|prev|previous|first|last|self)/;

/** The relations of links to other pages of a list (RFC 8288, and the registry of link relations). */
export const PAGE_RELATIONS: readonly string[] = ['self', 'first', 'prev', 'next', 'last'];
