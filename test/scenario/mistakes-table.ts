/** Mistakes of authors, and the exact messages. */
export const MISTAKES: readonly (readonly [name: string, text: string, want: readonly string[]])[] = [
  [
    'an unknown operationId',
    `operations:
  listBook:
    - respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:3 (#/operations/listBook)  operation "listBook" is not in the contract
  hint: did you mean "listBooks"?`,
    ],
  ],
  [
    'an unknown route',
    `operations:
  "GET /book":
    - respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:4 (#/operations/GET ~1book)  operation "GET /book" is not in the contract
  hint: did you mean "GET /books"?`,
    ],
  ],
  [
    'an unknown query parameter',
    `operations:
  listBooks:
    - when: { query: { aftr: x } }
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:24 (#/operations/listBooks/0/when/query/aftr)  query parameter "aftr" is not declared for "listBooks"
  hint: did you mean "after"?`,
    ],
  ],
  [
    'a parameter value that the schema does not allow',
    `operations:
  listBooks:
    - when: { query: { limit: ten } }
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:24 (#/operations/listBooks/0/when/query/limit)  query parameter "limit" cannot be "ten"
  hint: the query parameter must be an integer, got "ten"`,
    ],
  ],
  [
    'a misspelled declared header',
    `operations:
  listBooks:
    - when: { header: { x-shelff: A } }
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:25 (#/operations/listBooks/0/when/header/x-shelff)  header parameter "x-shelff" is not declared for "listBooks"
  hint: did you mean "X-Shelf"?`,
    ],
  ],
  [
    'an unknown path parameter',
    `operations:
  readBook:
    - when: { path: { id: x } }
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:23 (#/operations/readBook/0/when/path/id)  path parameter "id" is not declared for "readBook"
  hint: path parameters: book_id`,
    ],
  ],
  [
    'an undocumented status',
    `operations:
  listBooks:
    - respond: { status: 404 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:18 (#/operations/listBooks/0/respond/status)  status 404 is not documented for "listBooks"
  hint: it documents 200 or 429; to answer 404 anyway, add violates: "why"`,
    ],
  ],
  [
    'a status below 200',
    `operations:
  listBooks:
    - respond: { status: 99 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:18 (#/operations/listBooks/0/respond/status)  "status" must be an integer from 200 to 599, got 99`,
    ],
  ],
  [
    'a status as a string',
    `operations:
  listBooks:
    - respond: { status: "429" }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:18 (#/operations/listBooks/0/respond/status)  "status" must be an integer from 200 to 599, got "429"`,
    ],
  ],
  [
    'an unknown example',
    `operations:
  listBooks:
    - respond: { example: emptyy }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:18 (#/operations/listBooks/0/respond/example)  "listBooks" has no example "emptyy"
  hint: did you mean "empty"?`,
    ],
  ],
  [
    'an example and a body',
    `operations:
  listBooks:
    - respond: { status: 200, example: empty, body: {} }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:31 (#/operations/listBooks/0/respond/example)  "respond" has both example and body
  hint: keep one of the two, or change the example with "patch"`,
    ],
  ],
  [
    'an unknown field in a body',
    `operations:
  listBooks:
    - respond: { status: 429, body: { error: { mesage: slow down } } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:48 (#/operations/listBooks/0/respond/body/error/mesage)  the body of 429 has no field "mesage"
  hint: did you mean "message"?`,
    ],
  ],
  [
    'a body of another type',
    `operations:
  listBooks:
    - respond: { status: 429, body: { error: { message: 7 } } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:48 (#/operations/listBooks/0/respond/body/error/message)  the body of 429 breaks the contract: answer property "error.message" must be a string, got 7`,
    ],
  ],
  [
    'a body out of range',
    `operations:
  readBook:
    - respond: { body: { id: b1, pages: 0 } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:34 (#/operations/readBook/0/respond/body/pages)  the body of 200 breaks the contract: answer property "pages" must be at least 1, got 0`,
    ],
  ],
  [
    'a header that frames the body',
    `operations:
  listBooks:
    - respond: { status: 200, headers: { content-length: 3 } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:42 (#/operations/listBooks/0/respond/headers/content-length)  a scenario cannot set the header "content-length"
  hint: it is computed from the body`,
    ],
  ],
  [
    'invalid header names and values',
    `operations:
  listBooks:
    - respond: { status: 200, headers: { "bad name": x, x-ok: {} } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:43 (#/operations/listBooks/0/respond/headers/bad name)  "bad name" is not a valid header name`,
      `SCENARIO_INVALID  a.yaml:3:57 (#/operations/listBooks/0/respond/headers/x-ok)  header "x-ok" must be a string on one line, got {}`,
    ],
  ],
  [
    'an undocumented media type',
    `operations:
  listBooks:
    - respond: { status: 200, mediaType: text/plain }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:31 (#/operations/listBooks/0/respond/mediaType)  media type "text/plain" is not documented for "listBooks"
  hint: it documents application/json`,
    ],
  ],
  [
    'an unknown collection',
    `state:
  book: { clear: true }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:3 (#/state/book)  unknown collection "book"
  hint: did you mean "books"?`,
    ],
  ],
  [
    'an unknown field of an item',
    `state:
  books: { add: [{ titel: x }] }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:20 (#/state/books/add/0/titel)  an item of books has no field "titel"
  hint: did you mean "title"?`,
    ],
  ],
  [
    'an item out of range',
    `state:
  books: { add: [{ title: "" }] }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:20 (#/state/books/add/0/title)  an item of books breaks the contract: answer property "title" must have at least 1 character, got 0`,
    ],
  ],
  [
    'an update of another type',
    `state:
  books: { update: { b1: { pages: many } } }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:28 (#/state/books/update/b1/pages)  an item of books breaks the contract: field "pages" must be an integer, got "many"`,
    ],
  ],
  [
    'an update that removes a required field',
    `state:
  books: { update: { b1: { title: null } } }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:28 (#/state/books/update/b1/title)  an item of books removes "title", which the schema requires`,
    ],
  ],
  [
    'a negative count',
    `state:
  books: { generate: -1 }
`,
    [`SCENARIO_INVALID  a.yaml:2:12 (#/state/books/generate)  "generate" must be an integer from 0 to 100000, got -1`],
  ],
  [
    'a flag that is not a boolean',
    `state:
  books: { clear: yes please }
`,
    [`SCENARIO_INVALID  a.yaml:2:12 (#/state/books/clear)  "clear" must be true or false, got "yes please"`],
  ],
  [
    'ids that are not an array',
    `state:
  books: { remove: { id: x } }
`,
    [`SCENARIO_INVALID  a.yaml:2:12 (#/state/books/remove)  "remove" must be an array, got {"id":"x"}`],
  ],
  [
    'an unknown change',
    `state:
  books: { delete: [x] }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:12 (#/state/books/delete)  unknown key "delete" in a collection change
  hint: allowed keys: clear, generate, add, update, remove`,
    ],
  ],
  [
    'a probability over 1',
    `operations:
  listBooks:
    - probability: 5
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/probability)  "probability" must be a number from 0 to 1, got 5
  hint: did you mean 0.05?`,
    ],
  ],
  [
    'a probability that is a string',
    `operations:
  listBooks:
    - probability: often
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/probability)  "probability" must be a number from 0 to 1, got "often"`,
    ],
  ],
  [
    'four invalid call ranges',
    `operations:
  listBooks:
    - when: { call: 0 }
      respond: { status: 200 }
    - when: { call: "4..2" }
      respond: { status: 200 }
    - when: { call: third }
      respond: { status: 200 }
    - when: { call: every 0 }
      respond: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:15 (#/operations/listBooks/0/when/call)  "call" must be a positive integer, got 0`,
      `SCENARIO_INVALID  a.yaml:5:15 (#/operations/listBooks/1/when/call)  "call" must not end before it starts, got "4..2"`,
      `SCENARIO_INVALID  a.yaml:7:15 (#/operations/listBooks/2/when/call)  "call" must be 3, "2..4", "3..", "..3" or "every 5", got "third"`,
      `SCENARIO_INVALID  a.yaml:9:15 (#/operations/listBooks/3/when/call)  "call" must be "every 1" or more, got "every 0"`,
    ],
  ],
  [
    'five invalid delays',
    `operations:
  listBooks:
    - delay: 2 seconds
    - delay: -5
    - delay: { uniform: [900, 200] }
    - delay: { lognormal: { median: 300, p99: 40 } }
    - delay: { poisson: 3 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/delay)  "delay" must be milliseconds or a string such as "1.5s", got "2 seconds"
  hint: write 300, "1.5s", { uniform: [200, 900] }, { lognormal: { median, p99 } } or { normal: { mean, deviation } }`,
      `SCENARIO_INVALID  a.yaml:4:7 (#/operations/listBooks/1/delay)  "delay" must not be negative, got -5
  hint: write 300, "1.5s", { uniform: [200, 900] }, { lognormal: { median, p99 } } or { normal: { mean, deviation } }`,
      `SCENARIO_INVALID  a.yaml:5:16 (#/operations/listBooks/2/delay/uniform)  "uniform" must be two durations, the shorter first, got [900,200]`,
      `SCENARIO_INVALID  a.yaml:6:16 (#/operations/listBooks/3/delay/lognormal)  "p99" must be at least "median", and "median" greater than 0`,
      `SCENARIO_INVALID  a.yaml:7:16 (#/operations/listBooks/4/delay/poisson)  unknown key "poisson" in "delay"
  hint: allowed keys: uniform, lognormal, normal`,
    ],
  ],
  [
    'a rule that does nothing',
    `operations:
  listBooks:
    - when: { query: { after: x } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0)  this rule does nothing
  hint: add respond, patch, sequence, fault, delay or then`,
    ],
  ],
  [
    'a rule with two effects',
    `operations:
  listBooks:
    - respond: { status: 200 }
      patch: { body: {} }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0)  a rule cannot have both respond and patch
  hint: split it into two rules`,
    ],
  ],
  [
    'times: 0',
    `operations:
  listBooks:
    - times: 0
      respond: { status: 200 }
`,
    [`SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/times)  "times" must be a positive integer, got 0`],
  ],
  [
    'an unknown key of a rule',
    `operations:
  listBooks:
    - respnd: { status: 200 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/respnd)  unknown key "respnd" in a rule
  hint: did you mean "respond"?`,
    ],
  ],
  [
    'an unreachable rule',
    `operations:
  listBooks:
    - respond: { status: 200 }
    - respond: { status: 429 }
`,
    [
      `SCENARIO_INVALID  a.yaml:4:7 (#/operations/listBooks/1)  this rule is unreachable
  hint: rule 1 of this operation answers every call: give it "when" or "times", or move it to the end`,
    ],
  ],
  [
    'invalid sequences',
    `operations:
  listBooks:
    - sequence: []
    - sequence: [{ status: 200 }, engin]
    - sequence: [{ status: 200 }]
      onEnd: loop
    - respond: { status: 200 }
      onEnd: cycle
`,
    [
      `SCENARIO_INVALID  a.yaml:4:7 (#/operations/listBooks/1)  this rule is unreachable
  hint: rule 1 of this operation answers every call: give it "when" or "times", or move it to the end`,
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/sequence)  "sequence" must have at least 1 item, got []`,
      `SCENARIO_INVALID  a.yaml:4:35 (#/operations/listBooks/1/sequence/1)  an item of "sequence" must be an object or "engine", got "engin"`,
      `SCENARIO_INVALID  a.yaml:6:7 (#/operations/listBooks/2/onEnd)  "onEnd" must be hold, cycle, fallthrough or error, got "loop"`,
      `SCENARIO_INVALID  a.yaml:8:7 (#/operations/listBooks/3/onEnd)  "onEnd" needs a "sequence"
  hint: to limit how often a rule applies, write times: 2`,
    ],
  ],
  [
    'an unknown fault',
    `operations:
  listBooks:
    - fault: resett
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/fault)  unknown fault "resett"
  hint: did you mean "reset"?`,
    ],
  ],
  [
    'seven invalid faults',
    `operations:
  listBooks:
    - fault: { truncate: { at: 150% } }
    - fault: { hang: { stage: trailers } }
    - fault: { drip: { bytes: 0 } }
    - fault: { bandwidth: {} }
    - fault: { stream: { action: explode } }
    - fault: { rate-limit: { limit: many } }
    - fault: { reset: {}, empty: {} }
`,
    [
      `SCENARIO_INVALID  a.yaml:4:7 (#/operations/listBooks/1)  this rule is unreachable
  hint: rule 1 of this operation answers every call: give it "when" or "times", or move it to the end`,
      `SCENARIO_INVALID  a.yaml:3:28 (#/operations/listBooks/0/fault/truncate/at)  "at" must be a fraction from 0 to below 1, a percentage below 100%, or a number of bytes, got "150%"`,
      `SCENARIO_INVALID  a.yaml:4:24 (#/operations/listBooks/1/fault/hang/stage)  "stage" must be headers or body, got "trailers"`,
      `SCENARIO_INVALID  a.yaml:5:24 (#/operations/listBooks/2/fault/drip/bytes)  "bytes" must be a positive integer, got 0`,
      `SCENARIO_INVALID  a.yaml:6:16 (#/operations/listBooks/3/fault/bandwidth/kbps)  "kbps" is missing: it must be a positive integer`,
      `SCENARIO_INVALID  a.yaml:7:26 (#/operations/listBooks/4/fault/stream/action)  "action" must be stall, reset, end, bad-json or duplicate, got "explode"`,
      `SCENARIO_INVALID  a.yaml:8:30 (#/operations/listBooks/5/fault/rate-limit/limit)  "limit" must be a non-negative integer, got "many"`,
      `SCENARIO_INVALID  a.yaml:9:7 (#/operations/listBooks/6/fault)  "fault" must be the name of a fault, or an object with one fault and its settings, got {"reset":{},"empty":{}}
  hint: write fault: reset, or fault: { truncate: { at: 0.5 } }`,
    ],
  ],
  [
    'a patch without body',
    `operations:
  listBooks:
    - patch: { has_more: true }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:16 (#/operations/listBooks/0/patch/has_more)  unknown key "has_more" in "patch"
  hint: to change the body write patch: { body: { has_more: … } }`,
    ],
  ],
  [
    'a patch of another type',
    `operations:
  listBooks:
    - patch: { body: { has_more: maybe } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:24 (#/operations/listBooks/0/patch/body/has_more)  the response of listBooks breaks the contract: field "has_more" must be a boolean, got "maybe"`,
    ],
  ],
  [
    'a patch that removes a required field',
    `operations:
  listBooks:
    - patch: { body: { has_more: null } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:24 (#/operations/listBooks/0/patch/body/has_more)  the response of listBooks removes "has_more", which the schema requires`,
    ],
  ],
  [
    'an unknown field in the body of when',
    `operations:
  createBook:
    - when: { body: { titel: x } }
      delay: 5
`,
    [
      `SCENARIO_INVALID  a.yaml:3:23 (#/operations/createBook/0/when/body/titel)  the body of createBook has no field "titel"
  hint: did you mean "title"?`,
    ],
  ],
  [
    'a body of when with another type',
    `operations:
  createBook:
    - when: { body: { pages: many } }
      delay: 5
`,
    [
      `SCENARIO_INVALID  a.yaml:3:23 (#/operations/createBook/0/when/body/pages)  the body of createBook breaks the contract: field "pages" must be an integer, got "many"`,
    ],
  ],
  [
    'a body of when for an operation without one',
    `operations:
  readBook:
    - when: { body: { pages: many } }
      delay: 5
`,
    [`SCENARIO_INVALID  a.yaml:3:15 (#/operations/readBook/0/when/body)  "readBook" has no request body`],
  ],
  [
    'an unknown variable',
    `operations:
  createBook:
    - then: { vars: { last: $request.body#/title } }
    - when: { state: { vars: { lst: x } } }
      delay: 5
`,
    [
      `SCENARIO_INVALID  a.yaml:4:32 (#/operations/createBook/1/when/state/vars/lst)  unknown variable "lst"
  hint: did you mean "last"?`,
    ],
  ],
  [
    'invalid expressions',
    `operations:
  createBook:
    - then: { books: { remove: [$request.path.book] } }
    - then: { books: { remove: [$request.foo.book] } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:33 (#/operations/createBook/0/then/books/remove/0)  path parameter "book" is not declared for "createBook"
  hint: it has no path parameters`,
      `SCENARIO_INVALID  a.yaml:4:33 (#/operations/createBook/1/then/books/remove/0)  "$request.foo.book" is not a valid runtime expression
  hint: write $request.path.<name>, $request.query.<name>, $request.header.<name>, $request.body#/<field> or $vars.<name>`,
    ],
  ],
  [
    'unknown collections and conditions in state',
    `operations:
  listBooks:
    - when: { state: { boks: { count: 3 }, books: { size: 3 } } }
      delay: 5
`,
    [
      `SCENARIO_INVALID  a.yaml:3:24 (#/operations/listBooks/0/when/state/boks)  unknown collection "boks"
  hint: did you mean "books"?`,
      `SCENARIO_INVALID  a.yaml:3:53 (#/operations/listBooks/0/when/state/books/size)  unknown key "size" in a collection condition
  hint: allowed keys: count, has, lacks`,
    ],
  ],
  [
    'violates without a reason',
    `operations:
  listBooks:
    - violates: true
      respond: { status: 404 }
`,
    [
      `SCENARIO_INVALID  a.yaml:4:18 (#/operations/listBooks/0/respond/status)  status 404 is not documented for "listBooks"
  hint: it documents 200 or 429; to answer 404 anyway, add violates: "why"`,
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/violates)  "violates" must be a non-empty string, got true`,
    ],
  ],
  [
    'an unknown key of a scenario',
    `operation:
  listBooks: []
`,
    [
      `SCENARIO_INVALID  a.yaml:1:1 (#/operation)  unknown key "operation" in a scenario
  hint: did you mean "operations"?`,
    ],
  ],
  [
    'a scenario that is an array',
    `- operations
`,
    [`SCENARIO_INVALID  a.yaml:1:1  a scenario must be an object, got ["operations"]`],
  ],
  [
    'operations that are a string',
    `operations: listBooks
`,
    [`SCENARIO_INVALID  a.yaml:1:1 (#/operations)  "operations" must be an object, got "listBooks"`],
  ],
  [
    'a tab',
    `operations:
	listBooks:
`,
    [
      `SCENARIO_UNREADABLE  a.yaml:2:1  invalid YAML: tab characters must not be used in indentation
  hint: YAML is indented with spaces: replace the tab`,
    ],
  ],
  [
    'a duplicate key',
    `operations:
  listBooks: []
  listBooks: []
`,
    [
      `SCENARIO_UNREADABLE  a.yaml:3:3  invalid YAML: duplicated mapping key
  hint: write the key once; several rules of one operation are one list`,
    ],
  ],
  [
    'an unclosed bracket',
    `operations:
  listBooks: [ { delay: 5 }
`,
    [`SCENARIO_UNREADABLE  a.yaml:3:1  invalid YAML: deficient indentation`],
  ],
  [
    'an unquoted string with a colon',
    `description: a: b
`,
    [
      `SCENARIO_UNREADABLE  a.yaml:1:15  invalid YAML: bad indentation of a mapping entry
  hint: check the indentation, and put a string that contains ": " in quotes`,
    ],
  ],
  [
    'a status that some operations do not document',
    `operations:
  "*":
    - respond: { status: 429 }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:18 (#/operations/*/0/respond/status)  status 429 is not documented for "readBook" and 1 more
  hint: it documents 200 or 404; to answer 429 anyway, add violates: "why"`,
    ],
  ],
  [
    'extends that is a number',
    `extends: 7
`,
    [`SCENARIO_INVALID  a.yaml:1:1 (#/extends)  "extends" must be a non-empty string, got 7`],
  ],
  [
    'vars that are an array',
    `vars: [x]
`,
    [`SCENARIO_INVALID  a.yaml:1:1 (#/vars)  "vars" must be an object, got ["x"]`],
  ],
  [
    'items and updates that are not objects',
    `state:
  books: { update: { b1: [1] }, add: [7] }
`,
    [
      `SCENARIO_INVALID  a.yaml:2:39 (#/state/books/add/0)  an item of "add" must be an object, got 7`,
      `SCENARIO_INVALID  a.yaml:2:22 (#/state/books/update/b1)  "b1" must be an object, got [1]`,
    ],
  ],
  [
    'a body that is a string',
    `operations:
  listBooks:
    - respond: { status: 429, body: "slow down" }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:31 (#/operations/listBooks/0/respond/body)  the body of 429 breaks the contract: the answer must be an object, got "slow down"`,
    ],
  ],
  [
    'invalid settings of a rate limit',
    `operations:
  "*":
    - fault: { rate-limit: { limit: 1, window: fast, per: user } }
`,
    [
      `SCENARIO_INVALID  a.yaml:3:40 (#/operations/*/0/fault/rate-limit/window)  "window" must be milliseconds or a string such as "1.5s", got "fast"`,
      `SCENARIO_INVALID  a.yaml:3:54 (#/operations/*/0/fault/rate-limit/per)  "per" must be session, operation or credential, got "user"`,
    ],
  ],
  [
    'names of inherited properties',
    `operations:
  listBooks:
    - fault: constructor
    - fault: { toString: {} }
    - respond: { headers: { constructor: fine, valueOf: fine } }
`,
    [
      `SCENARIO_INVALID  a.yaml:4:7 (#/operations/listBooks/1)  this rule is unreachable
  hint: rule 1 of this operation answers every call: give it "when" or "times", or move it to the end`,
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/fault)  unknown fault "constructor"
  hint: faults: reset, empty, garbage, malformed-chunk, malformed-json, truncate, hang, drip, bandwidth, stream, rate-limit`,
      `SCENARIO_INVALID  a.yaml:4:7 (#/operations/listBooks/1/fault)  unknown fault "toString"
  hint: faults: reset, empty, garbage, malformed-chunk, malformed-json, truncate, hang, drip, bandwidth, stream, rate-limit`,
    ],
  ],
  [
    'an infinite delay',
    `operations:
  listBooks:
    - delay: .inf
`,
    [
      `SCENARIO_INVALID  a.yaml:3:7 (#/operations/listBooks/0/delay)  "delay" must be milliseconds or a string such as "1.5s", got Infinity
  hint: write 300, "1.5s", { uniform: [200, 900] }, { lognormal: { median, p99 } } or { normal: { mean, deviation } }`,
    ],
  ],
];
