/** Parameters of lists, and of requests that create. */
export const QUERIES = {
  offset: {
    where: 'parameter',
    names: `
      offset skip(count)? start start(index|at|position|row|record|item) first(result|row) pageoffset from
    `,
    seen: 'Box',
  },
  limit: {
    where: 'parameter',
    names: `
      limit perpage page(size|limit) size count rows max(results?(count)?|items|records|rows) results take first
      top itemsperpage num(results|items)?
    `,
    seen: 'Box, GitHub',
  },
  /** A limit also where it is a number in a string. */
  plainLimit: {
    where: 'parameter',
    names: 'limit perpage page(size|limit) max(results|items|records)',
    seen: 'Box, GitHub',
  },
  startingAfter: { where: 'parameter', names: 'startingafter', seen: 'OpenAI, Stripe' },
  endingBefore: { where: 'parameter', names: 'endingbefore', seen: 'Stripe' },
  after: { where: 'parameter', names: 'after afterid sinceid', seen: 'GitHub, OpenAI' },
  before: { where: 'parameter', names: 'before beforeid untilid', seen: 'GitHub, OpenAI' },
  token: {
    where: 'parameter',
    names: `
      cursor marker page pagetoken next(token|cursor|page|pagetoken) continue continuation(token)? pagecursor
      paginationtoken page(cursor|after) start(ing)?(key|token|cursor) skiptoken offset iterator bookmark
      scroll(id|token|cursor)? (resume|resumption|paging|listing)(token|key|id) exclusivestart*
    `,
    seen: 'Box, GitHub',
  },
  page: { where: 'parameter', names: 'page page(number|num|no|index) p currentpage', seen: 'GitHub, OpenAI' },
  range: { where: 'parameter', names: 'range', seen: 'Heroku' },
  order: {
    where: 'parameter',
    names: 'order direction sort(order|dir(ection)?) orderdir(ection)?',
    seen: 'GitHub, Box',
  },
  sort: { where: 'parameter', names: 'sort sortby orderby', seen: 'Box, GitHub' },
  search: {
    where: 'parameter',
    names: 'query q search search(query|term|text) term keywords? filterterm',
    seen: 'Box, GitHub',
  },
  expression: { where: 'parameter', names: 'filter(expression|by|query)?', seen: 'GitHub, OpenAI' },
  /** An object with parameters of a list. */
  group: {
    where: 'parameter',
    names: 'pagination paging page options filters? where criteria',
    seen: 'GitHub, OpenAI',
  },
  /** Asks for removed items beside others. */
  removed: {
    where: 'parameter',
    names: '(include|with|show)(deleted|removed|trashed)(items)?',
    seen: 'Google Calendar',
  },
  /** Applies to new items only, such as `status_if_new`: what exists keeps its own. */
  ifNew: {
    where: 'property',
    names: `
      if(new|created?|missing)* *ifnew *ifcreated? *ifmissing oncreate* *oncreate oninsert* *oninsert
    `,
    seen: 'GitHub',
  },
  /** Says how many results a request wants. */
  results: {
    where: 'property',
    names: `
      n
      (num|numberof|n)(results|images|outputs|samples|choices|completions|generations|candidates|sequences|variations|returnsequences)
      (candidate|sample|image|result|output)count
    `,
    seen: 'GitHub, OpenAI',
  },
  mask: { where: 'parameter', names: '(update|field)mask', seen: 'Google Cloud' },
  fields: { where: 'parameter', names: 'select (opt)?fields', seen: 'Asana' },
} as const;
