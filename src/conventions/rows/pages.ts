/** Properties and headers that describe a page of a list. */
export const PAGES = {
  hasMore: {
    where: 'property',
    names: `
      has(more|next(page)?|additional) more (is)?truncated nextpageexists
      more(pages|available|(items|results)(incollection)?)
    `,
    seen: 'GitHub, OpenAI',
  },
  hasPrevious: {
    where: 'property',
    names: 'has(prev|previous)(page|items|results)? previouspageexists',
    seen: 'GitHub, Spring',
  },
  firstId: { where: 'property', names: 'firstid', seen: 'OpenAI' },
  lastId: { where: 'property', names: 'lastid', seen: 'OpenAI' },
  total: {
    where: 'property',
    names: `
      total total(count|items|results|entries|records|elements|size|objects|hits|rows) counttotal fullcount
      total(filtered|matching|available|found)(count)? (filtered|matching)(total|count) @count
      (items|results|entries|records|elements|objects|hits|rows)total totalnumber(of(items|results|entries|records|elements|objects|hits|rows))? (grand|overall)total
      (num|nb|number|count)?(found|hits) (items|results|records|hits)found results
    `,
    seen: 'GitHub, Stripe, Typesense',
  },
  pages: {
    where: 'property',
    names: 'pages (page|pages)count total(pages|pagecount) (num|nb|numberof)pages pagestotal',
    seen: 'GitHub',
  },
  remaining: { where: 'property', names: 'remaining(itemcount|items|count)?', seen: 'GitHub, OpenAI' },
  count: {
    where: 'property',
    names: `
      count (item|record|result|entry|row)count size numresults resultcount numberofelements returned(count)?
    `,
    seen: 'GitHub, Stripe',
  },
  page: { where: 'property', names: 'page currentpage page(number|index) number', seen: 'Box, GitHub' },
  limit: {
    where: 'property',
    names: 'limit perpage pagesize max(results|items|keys|records) pagelimit itemsperpage',
    seen: 'Box, GitHub',
  },
  offset: { where: 'property', names: 'offset skip start startindex startat from', seen: 'Box, OpenAI' },
  end: { where: 'property', names: 'end endindex to', seen: 'OpenAI, Box' },
  next: {
    where: 'property',
    names: `
      next
      next(page|cursor|token|pagetoken|pagecursor|marker|offset|link|href|url|uri|pageurl|pageuri|pagelink|continuation(token)?|records(path)?|start)
      (end|after)?cursor after continu(e|ation(token)?) marker pagetoken nextpagenumber iterator bookmark
      scroll(id|token|cursor) (resume|resumption|paging|listing)(token|key) lastevaluated*
    `,
    seen: 'Box, GitHub',
  },
  previous: {
    where: 'property',
    names: `
      (prev|previous)(page|cursor|token|pagetoken|marker|offset|link|href|url|uri|pageurl|pageuri)? before
      (start|before)cursor prev(ious)?(iterator|bookmark)
    `,
    seen: 'GitHub, Box',
  },
  /** The last page, or whether this is it. */
  last: {
    where: 'property',
    names: '(is)?(done|finished) islast(page)? last(page)?(link|url|uri|href)?',
    seen: 'JSON:API',
  },
  self: { where: 'property', names: '(self|uri|href)(link|url|uri|href)?', seen: 'GitHub, Train Travel' },
  /** The URL of the list. */
  list: { where: 'property', names: 'url', seen: 'Box, GitHub' },
  /** The first page, or whether this is it. */
  first: { where: 'property', names: '(is)?first(page)? first(page)?(link|url|uri|href)', seen: 'Twilio, Spring' },
  /** Whether the page has no items. */
  empty: { where: 'property', names: '(is)?empty', seen: 'Spring' },
  /** Counts the items where pages are counted from 0. */
  fromZero: { where: 'property', names: 'totalelements numberofelements', seen: 'Spring' },
  /** Counts from 1, beside `itemsPerPage`. */
  fromOne: { where: 'property', names: 'startindex', seen: 'SCIM, OpenSearch' },
  itemsPerPage: { where: 'property', names: 'itemsperpage', seen: 'SCIM, OpenSearch' },
  /** An object of an envelope with properties of the page. */
  object: {
    where: 'property',
    names: `
      links meta metadata additionaldata pagination paging page(info|able|meta|metadata) page pages cursors?
      responsemetadata resultinfo (next|prev|previous|self|first|last)(page|link)?
    `,
    seen: 'GitHub, Train Travel',
  },
  /** An object in which `current` is a number of a page. */
  paging: { where: 'property', names: 'pagination paging page pageinfo', seen: 'GitHub' },
  /** A member of an object such as `next` that leads to that page. */
  step: {
    where: 'property',
    names: 'href url uri link path offset after before cursor token marker page start',
    seen: 'GitHub, Box',
  },
  turn: { where: 'property', names: 'next prev previous', seen: 'GitHub, Train Travel' },
  /** A count of the items on one page. */
  ofOnePage: { where: 'property', names: 'size* number* num* result* returned*', seen: 'Stripe, OpenAI' },
  /** Describes a page; other headers have names like these for other purposes. */
  header: {
    where: 'header',
    names: `
      (x)?(page|perpage|page(number|size|token|limit)|(next)?cursor|limit|offset|continuation(token)?|range)
    `,
    seen: 'Box',
  },
} as const;
