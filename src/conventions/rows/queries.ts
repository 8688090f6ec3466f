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
      limit perpage page(size|limit) size count rows max(results?(count)?|items|records|rows|keys) results take first
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
  /** Says that a value is the least that a property can have, before or behind its name: `min_price`, `starts_after`. */
  least: {
    where: 'word',
    names: `
      min(imum)? least gte? ge startingafter above over newerthan greaterthan(orequal(to)?)?
      (at|on|date|time)?(from|since|after)(date|time|timestamp)?
    `,
    seen: 'Shopify, Stripe',
  },
  most: {
    where: 'word',
    names: `
      max(imum)? most lte? le endingbefore below under olderthan upto lessthan(orequal(to)?)?
      (at|on|date|time)?(to|until|before)(date|time|timestamp)?
    `,
    seen: 'Shopify, Stripe',
  },
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
  /** Names the ids to replace by the items that they identify. */
  expand: { where: 'parameter', names: 'expand', seen: 'Stripe, Jira' },
  fields: { where: 'parameter', names: 'select (opt)?fields', seen: 'Asana' },
} as const;

/** Words of conditions that a request sends as JSON: `{ "field": "size", "operator": ">", "value": 3 }`. */
export const OPERATORS = {
  /** The member with the name of a property. */
  field: {
    where: 'property',
    names: 'field(name)? property(name)? attribute key column path',
    seen: 'Intercom, Notion',
  },
  operator: { where: 'property', names: 'operator op comparator comparison condition', seen: 'Intercom, Notion' },
  value: { where: 'property', names: 'values? operand', seen: 'Intercom, Notion' },
  /** The member with several conditions. */
  conditions: {
    where: 'property',
    names: 'filters? conditions? rules? clauses where criteria query',
    seen: 'Square, Intercom',
  },
  all: { where: 'word', names: 'and all allof must every', seen: 'Notion, Intercom' },
  any: { where: 'word', names: 'or any anyof should some (filter|condition)groups', seen: 'Notion, Intercom' },
  not: { where: 'word', names: 'not mustnot none noneof nor', seen: 'Contentful' },
  equals: { where: 'word', names: 'eq equals? equalto is i?exact(ly)? term', seen: 'Square, Intercom' },
  differs: {
    where: 'word',
    names: 'ne neq not notequals? notequalto isnot doesnotequal',
    seen: 'Intercom, Notion',
  },
  contains: {
    where: 'word',
    names: 'i?contains?(token|word)? co like ilike fuzzy substring includes match(es)? has',
    seen: 'Square, Notion',
  },
  lacks: { where: 'word', names: 'doesnotcontain notcontains?(token)? excludes notlike', seen: 'Notion, Intercom' },
  starts: { where: 'word', names: 'sw i?startswith starts beginswith prefix', seen: 'Notion, Intercom' },
  ends: { where: 'word', names: 'ew i?endswith ends suffix', seen: 'Notion, Intercom' },
  above: { where: 'word', names: 'gt greaterthan after', seen: 'Intercom, Notion' },
  below: { where: 'word', names: 'lt lessthan before', seen: 'Intercom, Notion' },
  atLeast: {
    where: 'word',
    names: 'gte ge min(imum)? from start(at|on|date)? since onorafter greaterthanorequal(to)?',
    seen: 'Square',
  },
  atMost: {
    where: 'word',
    names: 'lte le max(imum)? to end(at|on|date)? until onorbefore lessthanorequal(to)?',
    seen: 'Square',
  },
  in: { where: 'word', names: 'in anyof oneof any isanyof isoneof', seen: 'Square, Intercom' },
  notIn: { where: 'word', names: 'nin notin noneof isnoneof', seen: 'Intercom, Notion' },
  exists: { where: 'word', names: 'exists? hasproperty isset isnotempty isnotnull', seen: 'Notion, Intercom' },
  missing: { where: 'word', names: 'nothasproperty isempty isnull isnotset missing', seen: 'Notion, Intercom' },
} as const;
