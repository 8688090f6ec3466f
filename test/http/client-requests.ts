import { gzipSync } from 'node:zlib';

/** One request as real clients send it, and how it is judged. */
export interface ClientRequest {
  /** What is special about it. */
  readonly what: string;
  /** Clients that are known to send it. */
  readonly clients: string;
  /** What real services do with it. */
  readonly service: string;
  /** The request line without the version, header fields, and after an empty line the body. */
  readonly sent: string;
  /** The body in place of the one in `sent`. */
  readonly bytes?: Uint8Array;
  /** Whether the body has `Transfer-Encoding: chunked`. */
  readonly isChunked?: true;
  /** Why `fetch` in-process cannot express it. */
  readonly socketOnly?: string;
  /** Parts of the decoded request. */
  readonly read?: { readonly query?: object; readonly path?: object; readonly body?: unknown };
  /** The code of the note in the journal; undefined: there is no note. */
  readonly note?: string;
  /** The code of the violation in strict mode; undefined: it is accepted there, too. */
  readonly strict?: string;
  /** Default 200. */
  readonly status?: number;
}

/** The document that the requests are for. */
export const DOCUMENT = `
openapi: 3.1.0
info: {title: Pets, version: '1'}
servers: [{url: 'https://api.example.com/v1'}]
security: [{token: []}]
paths:
  /pets:
    get:
      parameters:
        - {name: kinds, in: query, explode: false, schema: {type: array, items: {enum: [cat, dog]}}}
        - {name: ids, in: query, schema: {type: array, items: {type: string}}}
        - {name: filter, in: query, style: deepObject, schema: {$ref: '#/components/schemas/Filter'}}
        - {name: sources, in: query, schema: {type: array, items: {type: object, required: [id], properties: {id: {type: string}}}}}
        - {name: active, in: query, schema: {type: boolean}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: since, in: query, schema: {type: string, format: date-time}}
        - {name: phone, in: query, schema: {type: string, pattern: '^[+]'}}
        - {name: q, in: query, schema: {type: string}}
        - {name: color, in: query, content: {application/json: {schema: {type: string}}}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses: {'200': &ok {description: '', content: {application/json: {schema: {const: ok}}}}}
    post:
      requestBody: &pet {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'200': *ok}
  /pets/{petId}:
    parameters: [&petId {name: petId, in: path, required: true, schema: {type: string}}]
    get: {responses: {'200': *ok}}
    put: {requestBody: *pet, responses: {'200': *ok}}
    patch:
      requestBody: {required: true, content: {application/merge-patch+json: {schema: {type: object}}}}
      responses: {'200': *ok}
    delete: {responses: {'204': {description: ''}}}
  /pets/{petId}/feed:
    parameters: [*petId]
    post: {responses: {'200': *ok}}
  /pets/{petId}/photo:
    parameters: [*petId]
    put:
      requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}
      responses: {'200': *ok}
  /search.list: {get: {parameters: [{name: q, in: query, schema: {type: string}}, {name: limit, in: query, schema: {type: integer}}], responses: {'200': *ok}}}
  /reports: {get: {parameters: [{name: token, in: query, required: true, schema: {type: string}}], responses: {'200': *ok}}}
  /imports: {post: {requestBody: {content: {application/octet-stream: {schema: {$ref: '#/components/schemas/Pet'}}}}, responses: {'200': *ok}}}
  /search: {post: {requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {'200': *ok}}}
  /charges: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/Charge'}}}}, responses: {'200': *ok}}}
  /uploads: {post: {requestBody: {required: true, content: {multipart/form-data: {schema: {$ref: '#/components/schemas/Upload'}}}}, responses: {'200': *ok}}}
  /tiles/{x}/{y}:
    parameters:
      - {name: x, in: path, required: true, style: matrix, schema: {type: integer}}
      - {name: y, in: path, required: true, style: label, schema: {type: integer}}
    get: {responses: {'200': *ok}}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    Filter:
      type: object
      additionalProperties: false
      properties:
        status: {enum: [open, sold]}
        born: {type: object, properties: {gte: {type: string, format: date-time}}}
        tags: {type: array, items: {type: string}}
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string}
        age: {type: integer}
        tag: {type: [string, 'null']}
        home: {oneOf: [{title: House, type: object, properties: {street: {type: string}}}, {title: Farm, type: object, properties: {acres: {type: integer}}}]}
    Charge:
      type: object
      properties:
        amount: {type: integer}
        capture: {type: boolean}
        due: {type: [integer, 'null']}
        note: {type: string}
        metadata: {type: object, additionalProperties: {type: string}}
        items: {type: array, items: {type: object, properties: {price: {type: string}, quantity: {type: integer}}}}
    Upload:
      type: object
      required: [file]
      properties:
        file: {type: string, format: binary}
        purpose: {type: string}
        public: {type: boolean}
        meta: {type: object, properties: {width: {type: integer}}}
`;

const JSON_TYPE = 'Content-Type: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=b';
const REX = '{"name":"Rex"}';
const rex = { name: 'Rex' };

/** A multipart body of parts: header fields, an empty line and the content. */
const toMultipart = (...parts: readonly string[]): string =>
  [...parts.map((part) => `--b\nContent-Disposition: form-data; ${part}\n`), '--b--\n'].join('');

/** Requests that official SDKs and common HTTP clients are known to send, and that services accept. */
export const CLIENT_REQUESTS: readonly ClientRequest[] = [
  // Lists and objects in the query
  {
    what: 'commas of a list percent-encoded',
    clients: 'OkHttp, axios, `URLSearchParams`, Kiota',
    service: 'splits the decoded value',
    sent: 'GET /v1/pets?kinds=cat%2Cdog',
    read: { query: { kinds: ['cat', 'dog'] } },
    note: 'PARAMETER_MALFORMED',
    strict: 'ENUM',
  },
  {
    what: 'repeated keys for a list with commas',
    clients: 'requests, httpx, Go `url.Values`',
    service: 'collects the values',
    sent: 'GET /v1/pets?kinds=cat&kinds=dog',
    read: { query: { kinds: ['cat', 'dog'] } },
  },
  {
    what: 'empty brackets',
    clients: 'axios, Faraday, Guzzle, Stainless',
    service: 'collects the values',
    sent: 'GET /v1/pets?ids[]=a&ids[]=b',
    read: { query: { ids: ['a', 'b'] } },
  },
  {
    what: 'percent-encoded brackets',
    clients: 'Faraday, Guzzle, `URLSearchParams`',
    service: 'decodes the name first',
    sent: 'GET /v1/pets?ids%5B%5D=a&ids%5B%5D=b',
    read: { query: { ids: ['a', 'b'] } },
  },
  {
    what: 'brackets with an index',
    clients: 'qs, `http_build_query` (Guzzle)',
    service: 'orders the values',
    sent: 'GET /v1/pets?ids[0]=a&ids[1]=b',
    read: { query: { ids: ['a', 'b'] } },
  },
  {
    what: 'nested brackets',
    clients: 'Stripe SDKs, qs, Faraday',
    service: 'builds an object',
    sent: 'GET /v1/pets?filter[status]=open&filter[born][gte]=2026-01-01T00:00:00Z',
    read: { query: { filter: { status: 'open', born: { gte: '2026-01-01T00:00:00Z' } } } },
  },
  {
    what: 'a list in a `deepObject`',
    clients: 'qs, Faraday, Guzzle',
    service: 'builds a list in an object',
    sent: 'GET /v1/pets?filter[tags][]=a&filter[tags][]=b',
    read: { query: { filter: { tags: ['a', 'b'] } } },
  },
  {
    what: 'objects of a list as JSON',
    clients: 'generated clients, where the document gives no style for a list of objects',
    service: 'reads the JSON',
    sent: 'GET /v1/pets?sources=%7B%22id%22%3A%22a%22%7D&sources=%7B%22id%22%3A%22b%22%7D',
    read: { query: { sources: [{ id: 'a' }, { id: 'b' }] } },
    note: 'TYPE',
    strict: 'TYPE',
  },
  // Scalars in the query
  {
    what: 'a boolean as `True`',
    clients: 'requests, .NET `bool.ToString()`',
    service: 'ignores the case',
    sent: 'GET /v1/pets?active=True',
    read: { query: { active: true } },
    note: 'TYPE',
    strict: 'TYPE',
  },
  {
    what: 'a boolean as `1` or `0`',
    clients: '`http_build_query` (Guzzle), curl scripts',
    service: 'reads it as a boolean',
    sent: 'GET /v1/pets?active=0',
    read: { query: { active: false } },
    note: 'TYPE',
    strict: 'TYPE',
  },
  {
    what: 'an integer as `10.0`',
    clients: 'requests with a float, R, Lua',
    service: 'reads it as 10',
    sent: 'GET /v1/pets?limit=10.0',
    read: { query: { limit: 10 } },
    note: 'TYPE',
    strict: 'TYPE',
  },
  {
    what: 'a `+` that is not percent-encoded, in a date',
    clients: 'Go `http.NewRequest`, curl, OkHttp with encoded parameters',
    service: 'reads the space as `+`',
    sent: 'GET /v1/pets?since=2026-01-01T00:00:00+02:00',
    read: { query: { since: '2026-01-01T00:00:00+02:00' } },
    note: 'FORMAT',
    strict: 'FORMAT',
  },
  {
    what: 'a `+` that is not percent-encoded, in a telephone number',
    clients: 'curl, string concatenation',
    service: 'reads the space as `+`',
    sent: 'GET /v1/pets?phone=+15551234',
    read: { query: { phone: '+15551234' } },
    note: 'PATTERN',
    strict: 'PATTERN',
  },
  {
    what: 'text where a parameter is declared as JSON with a string',
    clients: 'generated clients and curl, with documents that give `content` to ids in paths',
    service: 'reads the text',
    sent: 'GET /v1/pets?color=red',
    read: { query: { color: 'red' } },
    note: 'PARAMETER_MALFORMED',
    strict: 'PARAMETER_MALFORMED',
  },
  {
    what: 'a date with lower-case `t` and `z`',
    clients: 'Rust, Go with custom layouts',
    service: 'accepts it (RFC 3339, section 5.6)',
    sent: 'GET /v1/pets?since=2026-01-01t00:00:00z',
    read: { query: { since: '2026-01-01t00:00:00z' } },
  },
  {
    what: 'a date with microseconds and an offset',
    clients: 'Python `datetime.isoformat()`',
    service: 'accepts it',
    sent: 'GET /v1/pets?since=2026-01-01T00:00:00.123456%2B00:00',
    read: { query: { since: '2026-01-01T00:00:00.123456+00:00' } },
  },
  {
    what: '`+` and `%20` for a space',
    clients: 'requests, Java `URLEncoder`, browsers',
    service: 'reads both as a space',
    sent: 'GET /v1/pets?q=black+and%20white',
    read: { query: { q: 'black and white' } },
  },
  {
    what: 'an empty string parameter',
    clients: 'browser forms, Kiota',
    service: 'reads an empty string',
    sent: 'GET /v1/pets?q=&',
    read: { query: { q: '' } },
  },
  {
    what: 'query parameters that are not declared',
    clients: 'jQuery (`_`), analytics (`utm_source`), SDK versions',
    service: 'ignores them',
    sent: 'GET /v1/pets?_=1767225600&utm_source=mail',
    note: 'PARAMETER_UNDECLARED',
    strict: 'PARAMETER_UNDECLARED',
  },
  // Paths
  {
    what: 'a trailing slash',
    clients: 'Python and PHP clients with base URLs',
    service: 'serves the same resource',
    sent: 'GET /v1/pets/',
  },
  {
    what: 'two slashes after the base path',
    clients: 'every client with a base URL that ends with a slash',
    service: 'merges slashes (nginx)',
    sent: 'GET /v1//pets?limit=1',
    read: { query: { limit: 1 } },
    note: 'PATH_UNKNOWN',
    strict: 'PATH_UNKNOWN',
  },
  {
    what: 'unreserved characters percent-encoded',
    clients: 'Java `URLEncoder`, older .NET',
    service: 'decodes them (RFC 3986, section 6.2.2.2)',
    sent: 'GET /v1/%70ets/%7Erex%2D1',
    read: { path: { petId: '~rex-1' } },
  },
  {
    what: 'a slash in an id, percent-encoded',
    clients: 'GitLab clients, npm',
    service: 'keeps it in the id',
    sent: 'GET /v1/pets/group%2Frex',
    read: { path: { petId: 'group/rex' } },
  },
  {
    what: 'matrix and label parameters',
    clients: 'openapi-generator clients',
    service: 'reads them by their style',
    sent: 'GET /v1/tiles/;x=1/.2',
    read: { path: { x: 1, y: 2 } },
  },
  {
    what: 'an absolute request target',
    clients: 'every client behind a proxy setting',
    service: 'ignores the origin (RFC 9112, section 3.2.2)',
    sent: 'GET http://api.example.com/v1/pets?limit=1',
    read: { query: { limit: 1 } },
  },
  // Headers
  {
    what: 'the base URL before the URL of the next page',
    clients: 'Twilio SDKs, clients of services whose URLs of pages have no origin',
    service: 'gives the path alone',
    sent: 'GET /http://api.example.com/v1/pets',
    socketOnly: 'the test does not know the origin in-process',
  },
  {
    what: 'a media type of the vendor in `Accept`',
    clients: 'GitHub, Vimeo and Heroku SDKs',
    service: 'answers its JSON',
    sent: 'GET /v1/pets\nAccept: application/vnd.pets.v3+json',
    note: 'NOT_ACCEPTABLE',
    strict: 'NOT_ACCEPTABLE',
  },
  {
    what: '`Accept` with weights and `*; q=.2`',
    clients: 'Java `HttpURLConnection`',
    service: 'answers what it has',
    sent: 'GET /v1/pets\nAccept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  },
  {
    what: '`Accept` with several types',
    clients: 'axios, Angular, openapi-generator clients',
    service: 'answers JSON',
    sent: 'GET /v1/pets\nAccept: application/json, text/plain, */*',
  },
  {
    what: '`Accept` with a parameter',
    clients: 'OData and Kiota clients, RestSharp',
    service: 'ignores the parameter',
    sent: 'GET /v1/pets\nAccept: application/json;odata.metadata=minimal;q=1',
  },
  {
    what: '`Accept-Encoding`, no `Accept`',
    clients: 'Go net/http, OkHttp',
    service: 'may compress',
    sent: 'GET /v1/pets\nAccept-Encoding: gzip, deflate, br, zstd',
  },
  {
    what: '`authorization: bearer` in lower case',
    clients: 'generated clients, curl',
    service: 'ignores the case (RFC 9110, section 11.1)',
    sent: 'GET /v1/pets\nauthorization: bearer secret',
  },
  {
    what: '`Prefer: return=minimal` and `respond-async`',
    clients: 'PostgREST, OData and FHIR clients',
    service: 'may ignore it (RFC 7240)',
    sent: `POST /v1/pets\n${JSON_TYPE}\nPrefer: return=minimal, respond-async, wait=10\n\n${REX}`,
  },
  {
    what: 'cookies that are not declared',
    clients: 'browsers, `requests.Session`',
    service: 'ignores them',
    sent: 'GET /v1/pets\nCookie: _ga=GA1.2; session="a b"',
  },
  {
    what: 'headers of SDKs and idempotency keys',
    clients: 'Stainless, Stripe, Speakeasy',
    service: 'ignores or uses them',
    sent: `POST /v1/pets\n${JSON_TYPE}\nX-Stainless-Lang: js\nX-Stainless-Retry-Count: 0\nIdempotency-Key: k1\nUser-Agent: pets/1.0 (node)\n\n${REX}`,
  },
  {
    what: 'a header twice',
    clients: 'proxies, tracing agents',
    service: 'joins the values',
    sent: 'GET /v1/pets\nX-Trace: a\nX-Trace: b',
  },
  {
    what: '`Content-Type` twice, the same',
    clients: 'axios and OkHttp with an interceptor',
    service: 'reads it once',
    sent: `POST /v1/pets\n${JSON_TYPE}\n${JSON_TYPE}\n\n${REX}`,
    read: { body: rex },
  },
  // Requests without a body
  {
    what: 'HEAD of a GET',
    clients: 'curl -I, download managers',
    service: 'answers without the body',
    sent: 'HEAD /v1/pets',
  },
  {
    what: 'GET with a content type',
    clients: 'openapi-generator clients, RestSharp, Postman',
    service: 'ignores it',
    sent: `GET /v1/pets\n${JSON_TYPE}`,
  },
  {
    what: 'GET with a body',
    clients: 'Elasticsearch clients, `requests.get(json=…)`',
    service: 'ignores it',
    sent: `GET /v1/pets\n${JSON_TYPE}\n\n{}`,
    socketOnly: 'fetch refuses a GET with a body',
  },
  {
    what: 'DELETE with a content type, without a body',
    clients: 'axios, Stainless, Faraday',
    service: 'ignores it',
    sent: `DELETE /v1/pets/1\n${JSON_TYPE}\nContent-Length: 0`,
    status: 204,
  },
  {
    what: 'DELETE with `{}`',
    clients: 'Guzzle, Octokit, generated Go clients',
    service: 'ignores it',
    sent: `DELETE /v1/pets/1\n${JSON_TYPE}\n\n{}`,
    note: 'BODY_UNDECLARED',
    status: 204,
  },
  {
    what: 'POST of an action with `Content-Length: 0`',
    clients: 'Go net/http, .NET, curl -d ""',
    service: 'runs the action',
    sent: `POST /v1/pets/1/feed\n${JSON_TYPE}\nContent-Length: 0`,
  },
  {
    what: 'POST with a content type and an optional body left out',
    clients: 'Stainless, Kiota',
    service: 'uses the defaults',
    sent: `POST /v1/search\n${JSON_TYPE}`,
  },
  {
    what: 'an empty form',
    clients: 'Stripe SDKs, Twilio SDKs',
    service: 'reads a form without fields',
    sent: `POST /v1/charges\n${FORM}\nContent-Length: 0`,
    read: { body: {} },
  },
  // JSON
  {
    what: '`charset=utf8`, and types in upper case',
    clients: 'Guzzle, Java, RestSharp',
    service: 'reads UTF-8',
    sent: `POST /v1/pets\nContent-Type: Application/JSON;charset="utf8"\n\n${REX}`,
    read: { body: rex },
  },
  {
    what: 'a byte order mark before JSON',
    clients: '.NET `StreamWriter`, PowerShell',
    service: 'skips it',
    sent: `POST /v1/pets\n${JSON_TYPE}\n\n\uFEFF${REX}`,
    read: { body: rex },
  },
  {
    what: 'a media type of the vendor for a JSON body',
    clients: 'JSON:API clients, GitHub SDKs',
    service: 'reads JSON',
    sent: `POST /v1/pets\nContent-Type: application/vnd.pets.v3+json\n\n${REX}`,
    read: { body: rex },
    note: 'CONTENT_TYPE_UNDECLARED',
    strict: 'CONTENT_TYPE_UNDECLARED',
  },
  {
    what: 'a form by POST to an operation of GET',
    clients: 'Slack SDKs, clients of RPC APIs',
    service: 'reads the fields as those of the query',
    sent: `POST /v1/search.list?q=a\n${FORM}\n\nlimit=2`,
    read: { query: { q: 'a', limit: 2 } },
    note: 'METHOD_UNKNOWN',
    strict: 'METHOD_UNKNOWN',
  },
  {
    what: 'a required parameter for the credential that `Authorization` has',
    clients: 'Slack SDKs, generated clients of documents that declare a token twice',
    service: 'reads the header `Authorization`',
    sent: 'GET /v1/reports',
    note: 'REQUIRED',
    strict: 'REQUIRED',
  },
  {
    what: 'JSON under a name of its own',
    clients: 'AWS SDKs, older PHP and Java clients',
    service: 'reads JSON',
    sent: `POST /v1/pets\nContent-Type: application/x-amz-json-1.1\n\n${REX}`,
    read: { body: rex },
    note: 'CONTENT_TYPE_UNDECLARED',
    strict: 'CONTENT_TYPE_UNDECLARED',
  },
  {
    what: 'JSON where the object is declared as a file',
    clients: 'Google API clients, whose documents name the files of an upload in place of JSON',
    service: 'reads JSON',
    sent: `POST /v1/imports\n${JSON_TYPE}\n\n${REX}`,
    read: { body: rex },
    note: 'CONTENT_TYPE_UNDECLARED',
    strict: 'CONTENT_TYPE_UNDECLARED',
  },
  {
    what: 'an empty string in place of an optional body',
    clients: 'Octokit, `fetch` and axios with an empty string, which name a type for it',
    service: 'uses the defaults',
    sent: 'POST /v1/search\nContent-Type: text/plain;charset=UTF-8\n\n',
  },
  {
    what: 'PATCH with `application/json` for a merge patch',
    clients: 'axios, requests, Go net/http',
    service: 'merges it',
    sent: `PATCH /v1/pets/1\n${JSON_TYPE}\n\n${REX}`,
    read: { body: rex },
    note: 'CONTENT_TYPE_UNDECLARED',
    strict: 'CONTENT_TYPE_UNDECLARED',
  },
  {
    what: 'a body without a content type',
    clients: 'Go `http.NewRequest`, raw sockets',
    service: 'assumes JSON',
    sent: `POST /v1/pets\n\n${REX}`,
    socketOnly: 'fetch adds text/plain',
    read: { body: rex },
    note: 'CONTENT_TYPE_MISSING',
    strict: 'CONTENT_TYPE_MISSING',
  },
  {
    what: 'properties that are not declared, also null',
    clients: 'clients of another version, Jackson',
    service: 'ignores them',
    sent: `POST /v1/pets\n${JSON_TYPE}\n\n{"name":"Rex","color":"red","owner":null,"tag":null}`,
    note: 'PROPERTY_UNDECLARED',
    strict: 'PROPERTY_UNDECLARED',
  },
  {
    what: 'a whole item that was read, read-only properties included',
    clients: 'active records, Terraform providers',
    service: 'ignores read-only properties',
    sent: `PUT /v1/pets/1\n${JSON_TYPE}\n\n{"id":"1","name":"Rex"}`,
    note: 'READ_ONLY',
  },
  {
    what: 'an object that several alternatives of `oneOf` allow',
    clients: 'every client of documents with open alternatives',
    service: 'has a union in mind',
    sent: `POST /v1/pets\n${JSON_TYPE}\n\n{"name":"Rex","home":{}}`,
    note: 'UNION',
    strict: 'UNION',
  },
  {
    what: 'an integer written as `3.0`',
    clients: 'Lua, PHP and Swift encoders of floats',
    service: 'reads 3',
    sent: `POST /v1/pets\n${JSON_TYPE}\n\n{"name":"Rex","age":3.0}`,
    read: { body: { age: 3 } },
  },
  {
    what: 'a body in chunks',
    clients: 'Node streams, Apache HttpClient, Go with a reader',
    service: 'reads it',
    sent: `POST /v1/pets\n${JSON_TYPE}\n\n${REX}`,
    isChunked: true,
    read: { body: rex },
  },
  {
    what: 'a compressed body',
    clients: 'OpenTelemetry, Elasticsearch and Datadog SDKs',
    service: 'decompresses it',
    sent: `POST /v1/pets\n${JSON_TYPE}\nContent-Encoding: gzip`,
    bytes: gzipSync(REX),
    read: { body: rex },
  },
  {
    what: '`Expect: 100-continue`',
    clients: 'curl, .NET, Apache HttpClient, Guzzle',
    service: 'answers 100, then the response',
    sent: `POST /v1/pets\n${JSON_TYPE}\nExpect: 100-continue\n\n${REX}`,
    socketOnly: 'there is no intermediate response in-process',
    read: { body: rex },
  },
  {
    what: 'an offer to upgrade to HTTP/2',
    clients: 'Java `HttpClient`',
    service: 'ignores it and answers with HTTP/1.1',
    sent: `POST /v1/pets\n${JSON_TYPE}\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQ\n\n${REX}`,
    socketOnly: 'it is about the connection',
    read: { body: rex },
  },
  // Forms and files
  {
    what: 'nested objects and lists in a form',
    clients: 'Stripe SDKs, qs, `http_build_query`',
    service: 'builds objects and lists',
    sent: `POST /v1/charges\n${FORM}\n\nmetadata[order]=7&items[0][price]=p1&items[0][quantity]=2`,
    read: { body: { metadata: { order: '7' }, items: [{ price: 'p1', quantity: 2 }] } },
  },
  {
    what: 'lists of objects with empty brackets',
    clients: 'Faraday, Rack clients',
    service: 'starts an item with each repeated name',
    sent: `POST /v1/charges\n${FORM}; charset=UTF-8\n\nitems[][price]=p1&items[][quantity]=2&items[][price]=p2`,
    read: { body: { items: [{ price: 'p1', quantity: 2 }, { price: 'p2' }] } },
  },
  {
    what: 'null in a form',
    clients: 'qs, Faraday, .NET `FormUrlEncodedContent`',
    service: 'reads an empty value as null',
    sent: `POST /v1/charges\n${FORM}\n\ndue=&note=`,
    read: { body: { due: null, note: '' } },
  },
  {
    what: 'empty fields for values that are not strings',
    clients: 'qs, Stripe SDKs (to clear a property)',
    service: 'reads them as left out or empty',
    sent: `POST /v1/charges\n${FORM}\n\namount=&metadata=&items=&note=n`,
    read: { body: { note: 'n', metadata: {}, items: [] } },
    note: 'TYPE',
    strict: 'TYPE',
  },
  {
    what: 'a boolean as `True` in a form',
    clients: 'requests, .NET',
    service: 'ignores the case',
    sent: `POST /v1/charges\n${FORM}\n\namount=5&capture=True`,
    read: { body: { amount: 5, capture: true } },
    note: 'TYPE',
    strict: 'TYPE',
  },
  {
    what: 'multipart where a plain form is declared',
    clients: 'PHP curl with an array, browsers with `FormData`',
    service: 'reads both kinds of forms',
    sent: `POST /v1/charges\n${MULTIPART}\n\n${toMultipart('name="amount"\n\n5')}`,
    read: { body: { amount: 5 } },
    note: 'CONTENT_TYPE_UNDECLARED',
    strict: 'CONTENT_TYPE_UNDECLARED',
  },
  {
    what: 'a file without a filename',
    clients: 'OkHttp, Apache HttpClient, Swift',
    service: 'reads the part',
    sent: `POST /v1/uploads\n${MULTIPART}\n\n${toMultipart('name="file"\n\nabc')}`,
    read: { body: { file: 'abc' } },
  },
  {
    what: 'every part as `application/octet-stream`',
    clients: 'Apache HttpClient, OkHttp request bodies',
    service: 'reads fields as text',
    sent: `POST /v1/uploads\n${MULTIPART}\n\n${toMultipart(
      'name="file"; filename="a"\nContent-Type: application/octet-stream\n\nabc',
      'name="purpose"\nContent-Type: application/octet-stream\n\nvision',
    )}`,
    read: { body: { purpose: 'vision' } },
  },
  {
    what: 'parts with JSON, a charset or a length',
    clients: '.NET `MultipartFormDataContent`, Retrofit',
    service: 'reads them by their type',
    sent: `POST /v1/uploads\n${MULTIPART}\n\n${toMultipart(
      `name=file; filename="a.bin"; filename*=UTF-8''a.bin\n\nabc`,
      'name="meta"; filename="blob"\nContent-Type: application/json\n\n{"width":3}',
      'name="purpose"\nContent-Type: text/plain; charset=utf-8\nContent-Length: 6\n\nvision',
    )}`,
    read: { body: { meta: { width: 3 }, purpose: 'vision' } },
  },
  {
    what: 'JSON in a part without a type',
    clients: 'requests with `data=json.dumps(…)`',
    service: 'parses it where an object is expected',
    sent: `POST /v1/uploads\n${MULTIPART}\n\n${toMultipart('name="file"; filename="a"\n\nabc', 'name="meta"\n\n{"width":3}')}`,
    read: { body: { meta: { width: 3 } } },
  },
  {
    what: 'the type of a file where bytes are declared',
    clients: 'browsers, boto3, Go `DetectContentType`',
    service: 'stores the bytes',
    sent: 'PUT /v1/pets/1/photo\nContent-Type: image/png\n\nabc',
    note: 'CONTENT_TYPE_UNDECLARED',
    strict: 'CONTENT_TYPE_UNDECLARED',
  },
];
