// Words of descriptions and summaries, where only they say what is meant. A name or the structure comes first.

/** Words in the description of a response to requests whose values are not valid. */
export const SAYS_INVALID: RegExp = /\bvalidation\b|\binvalid (data|fields?|input|parameters?|values?)\b/i;

/** The text of the last event, in a description or an example: `data: [DONE]`. */
export const LAST_EVENT: RegExp = /data:\s*`?(\[[A-Z_]+\])|(\[(?:DONE|END|EOS|EOF|STOP)\])/;

/** Words of a property that shows a removal. */
export const SAYS_REMOVED: RegExp = /\b(deleted|removed|archived|deactivated)\b/i;

/** Words in the description of a DELETE that say that the item can be read afterwards. */
export const KEEPS_ITEM: RegExp =
  /(^|\n)\W*archives?\b|\b(is|are|gets|be) archived\b|\bsoft[- ]delet|\b(still|afterwards)\b[^.]*\b(read|show|return|visible|retriev)|\b(read|shown|returned|visible|retriev\w*)\b[^.]*\b(still|afterwards)\b|\bgets the (state|status)\b|\bmark(s|ed)?\b[^.]* as (deleted|archived)/i;

/** Words that say that an item is gone, whatever else the description mentions, unless that happens later: "after 30 days". */
export const REMOVES_ITEM: RegExp =
  /(?<!\bafter \d[^.]*)\bpermanent|\birreversibl|\b(cannot|can't|can not) be (undone|recovered|restored|read)\b/i;

/** Words before a property of another item: "the associated order status changes". */
export const OTHER_ITEM: RegExp = /\b(associated|related|linked|corresponding|parent|its|their|each) [a-z]+ [`"'*]*$/i;

/** Words that say that the server replaces ids with a prefix: "a temporary identifier starting with `#`". */
export const TEMPORARY_PREFIX: RegExp =
  /\btemporary\b[^.]*\b(?:start|begin|prefix)\w*\s+with\s+(?:an?\s+)?[`'"]*([^\w\s`'"]+)/i;

/** Words of a string that holds several values: "Comma-separated names of labels". */
export const SAYS_COMMAS: RegExp = /\bcommas?\b/i;

/** Words that say that a property keeps the value that it has from the create. */
export const SAYS_FIXED: RegExp =
  /\b(cannot|can't|can not|never) (be )?(later )?(change|update|modifi|edit)|\bimmutable\b|\b(writable|set|only) (only )?(on|at|during|when) (create|creation|creating)\b|\b(create|creation)[- ]only\b/i;

/** Verbs of a DELETE after which the item still exists, where its schema shows what happened to it. */
export const ENDS_ITEM: RegExp = /^\W*(p>)?\W*(cancel|archive|deactivate|disable|void)l?[sd]?\b/i;

/** Words of a description that say that a PUT changes only what it sends. */
export const KEEPS_OTHERS: RegExp =
  /\b(partial(ly)?|merge[sd]?|sparse|like a patch)\b|\bonly (the )?([\w`]+ )?(fields|properties|members|attributes|parameters|values) (that|which|you|are|given|sent|provided)|\b(fields|properties|members|attributes|parameters|values)\b[^.;]*\b(sent|given|provided|included|passed|missing|omitted|left out|leave out|absent|not in the (request|body))\b[^.;]*\b(not? change|keep|kept|unchanged|changed|stay|untouched|preserved|retained)|\b(leave out|omit|left out|omitted|not (sent|provided|given|included))\b[^.;]*\b(stays?|keeps?|unchanged|do(es)? not change|not be changed|untouched|left as|remains?)|\b(changes|updates) (only )?the (fields|properties|members|attributes|parameters)\b[^.;]*\b(sent|given|provided|passed|included)/i;

/** Words of a description that say that a PUT replaces the whole item. */
export const REPLACES_ITEM: RegExp =
  /\b(replac(e|es|ing|ement)|overwrit(e|es|ing|ten))\b|\b(full|complete|entire|whole) (representation|object|resource|item|body|set of|definition|document)\b|\b(not (sent|provided|given|included)|left out|omitted|missing)\b[^.;]*\b(removed|reset|default|deleted|cleared|lost|unset)/i;

/** Verbs of a PUT that changes an item; others, such as "set" or "store", say nothing about what it keeps. */
export const CHANGES_ITEM: RegExp = /^\W*(update|edit|modif(y|ies)|change)s?\b/i;

/** Descriptions of the URL of an item in the API. */
export const OWN_URL: RegExp =
  /\b(api|canonical|resource|rest|self)\b[^.]*\b(url|uri|address|link|reference)\b|\b(url|uri) (at|by|under|with) which\b/i;

/** Descriptions of another URL than that of the item in the API. */
export const OTHER_URL: RegExp =
  /\b(web|html|page|browser|dashboard|image|avatar|download|callback|webhook|destination|website|checkout|payment|hosted)/i;

/** Words of an operation that adds what does not exist yet. */
export const SAYS_UPSERT: RegExp =
  /\b(add|create|insert) or (update|replace|overwrite)|(create|add)-?or-?(update|replace)|upsert/i;

/** Descriptions of a version that a server counts. */
export const COUNTS_CHANGES: RegExp = /\b(increment|increas|grows|optimistic|concurren)|\beach (time|update|change)\b/i;

/** Descriptions of a count of the items on one page. */
export const OF_PAGE: RegExp =
  /\b(this|current|each) (page|request|response|call)\b|\breturned (in|for|on|by|with) (the|this|each)\b|\bper page\b|\bpage size\b/i;

/** A parameter that takes what the envelope of a list has for the next page: "Take it from `pagination.next`". */
export const TAKES_NEXT: RegExp = /[`"'](\w+\.)*next(_?(page|cursor|token|key))?[`"']/i;

/** Descriptions of a page or offset that begins at 0, and at 1. */
export const FIRST_NUMBERS: readonly [RegExp, RegExp] = [
  /\b(zero|0)[- ](based|indexed)|starts? (at|from|with) (0|zero)\b|first page is (0|zero)\b|\bdefaults?( value)?( is| to|:| of)? `?0\b/i,
  /\b(one|1)[- ](based|indexed)|starts? (at|from|with) (1|one)\b|\bdefaults?( value)?( is| to|:| of)? `?1\b/i,
] as const;

/** The part of a list's description that names the items it does not show: `that have not been canceled`. */
export const EXCLUDES: RegExp =
  /\b(?:not|excluding|except|without)\b(?: (?:yet|been|those|that|which|are|have|the|any))* (cancell?ed|archived|deleted|closed|inactive|disabled)\b/i;

/** A time at which an item was changed. */
export const SAYS_CHANGED: RegExp = /\b(updated|modified|changed)\b/i;

/** Descriptions of a string that is a date or a time. */
export const SAYS_DATE: RegExp = /\bISO[- ]?8601\b|\bRFC[- ]?3339\b|\bYYYY-MM-DD|\b(date|timestamp|datetime)\b/i;

/** Descriptions of a parameter or an answer that is about a stream. */
export const SAYS_STREAM: RegExp = /\bstream(s|ed|ing)?\b|server-sent event|\bSSE\b/i;
