import type { Schema } from '../../base/json.js';

/** The methods of a path item (OpenAPI 3.2 section 4.9). */
export const METHODS: readonly string[] = 'get put post delete options head patch trace query'.split(' ');

/** The types of security schemes (OpenAPI 3.1 section 4.8.27). */
export const SCHEME_TYPES = ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect'] as const;
/** The `in` of a parameter (OpenAPI 3.1 section 4.8.12.1). `querystring` of 3.2 is the whole query. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie' | 'querystring';

/** The methods that change or remove what exists (RFC 9110 section 9.3, RFC 5789). */
export const CHANGING_METHODS: readonly string[] = ['DELETE', 'PATCH', 'PUT'];

/** The methods that change nothing (RFC 9110 section 9.2.1, and QUERY). */
export const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'QUERY'];

/** The methods that may be repeated (RFC 9110 section 9.2.2). */
export const IDEMPOTENT_METHODS: readonly string[] = [...SAFE_METHODS, 'DELETE', 'PUT'];

/** The methods that usually have a body. */
export const BODY_METHODS: readonly string[] = ['PATCH', 'POST', 'PUT'];

/** The `style` of a parameter (OpenAPI 3.1 section 4.8.12.3, Style Values). */
export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie';

/**
 * One method of a path template, with everything inherited from its path item.
 *
 * Members without a comment, also of the types that it refers to, are fields of the object in the document (OpenAPI 3.1 4.8.10); each `pointer` is
 * the JSON Pointer of that object in the bundled document, and each `schemaPointer` the one of its schema.
 */
export interface Operation {
  /** The `operationId`; `"GET /path"` where there is none or an earlier operation has the same. */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** The key under `paths`, a fixed query included. */
  readonly path: string;
  /** The path with parameters that take several segments written out, where it has such: full resource names. */
  readonly spanned?:
    | { readonly path: string; readonly spans: ReadonlyMap<string, readonly (string | undefined)[]> }
    | undefined;
  /** Base paths of the operation, from its own `servers` or the `servers` of its path item or document; always with `''`. */
  readonly basePaths: readonly string[];
  readonly pointer: string;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** In the order of the document. */
  readonly responses: readonly DeclaredResponse[];
  /** How a client asks for the answer as a stream; undefined where it cannot. */
  readonly streaming: Streaming | undefined;
  /** Alternatives (OR) of schemes that must all be met (AND). Empty: no credentials are required. */
  readonly security: readonly SecurityRequirement[];
  /** `x-…` fields of the operation and its path item; the operation wins. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The summary and the description of an operation, one after the other. */
export function readText({ summary = '', description = '' }: Operation): string {
  return `${summary}\n${description}`;
}

/** How a client asks an operation for its answer as a stream instead of one value. */
export interface Streaming {
  /** The media type of the stream. */
  readonly type: string;
  /** The media types of the same response that are not streams. */
  readonly others: readonly string[];
  /** The parameter that asks for the stream; undefined where only the `Accept` header does. */
  readonly parameter: StreamParameter | undefined;
}

/** A property of the body or a query parameter that asks for a stream with one of its values. */
export interface StreamParameter {
  /** Where it is. */
  readonly in: 'body' | 'query';
  /** The name of the property or of the parameter. */
  readonly name: string;
  /** The value that asks for the stream. */
  readonly value: unknown;
}

/** A parameter (OpenAPI 3.1 section 4.8.12); members that the document leaves out have their defaults. */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly allowEmptyValue: boolean;
  readonly schema: Schema;
  readonly schemaPointer: string;
  /** The media type, for a parameter with `content` instead of `schema`. */
  readonly mediaType: string | undefined;
  readonly description: string | undefined;
  readonly examples: readonly Example[];
  readonly pointer: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The body of a request (OpenAPI 3.1 section 4.8.13). */
export interface RequestBody {
  readonly required: boolean;
  readonly content: readonly MediaType[];
  readonly pointer: string;
}

/** One entry of a `content` map (OpenAPI 3.1 section 4.8.14). */
export interface MediaType {
  /** The key in lower case with its parameters; may be a range such as `text/*`. */
  readonly type: string;
  /** Undefined where the document has none: anything is accepted. */
  readonly schema: Schema | undefined;
  readonly schemaPointer: string;
  /** OpenAPI 3.2: the schema of each item of a sequential media type. */
  readonly itemSchema: Schema | undefined;
  readonly itemSchemaPointer: string;
  readonly examples: readonly Example[];
  readonly encoding: Readonly<Record<string, Encoding>>;
  /** Whether a response calls something text that its schema describes as an object or an array: it is JSON. */
  readonly isJson?: boolean;
  readonly pointer: string;
}

/** The serialization of one property of a form or multipart body (OpenAPI 3.1 section 4.8.15). */
export interface Encoding {
  readonly contentType: string | undefined;
  readonly headers: readonly DeclaredHeader[];
  readonly style: ParameterStyle | undefined;
  readonly explode: boolean | undefined;
  readonly allowReserved: boolean;
}

/** A named example (OpenAPI 3.1 section 4.8.19); the name of a single `example` is `''`. */
export interface Example {
  readonly name: string;
  readonly value: unknown;
  readonly summary: string | undefined;
  readonly pointer: string;
}

/** One entry of `responses` (OpenAPI 3.1 section 4.8.17). */
export interface DeclaredResponse {
  /** `'200'`, `'4XX'` (upper case) or `'default'`. */
  readonly status: string;
  readonly description: string | undefined;
  readonly headers: readonly DeclaredHeader[];
  readonly content: readonly MediaType[];
  /** Link Objects by name, references resolved. */
  readonly links: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether the document does not have it: the success of an operation that declares errors only. */
  readonly isAssumed?: boolean;
  readonly pointer: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A header of a response or of a part of a multipart body (OpenAPI 3.1 section 4.8.21). */
export interface DeclaredHeader {
  readonly name: string;
  readonly required: boolean;
  readonly explode: boolean;
  readonly description: string | undefined;
  readonly schema: Schema;
  readonly schemaPointer: string;
  /** The media type of `content`; undefined for a header with `schema`. */
  readonly mediaType: string | undefined;
  readonly examples: readonly Example[];
  readonly pointer: string;
}

/** Scheme name -> scopes; all schemes must be met. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** A security scheme (OpenAPI 3.1 section 4.8.27). */
export interface SecurityScheme {
  readonly name: string;
  readonly type: (typeof SCHEME_TYPES)[number];
  /** For `http`: lower case, `bearer` or `basic` or another registered scheme. */
  readonly scheme: string | undefined;
  /** For `apiKey`. */
  readonly in: 'query' | 'header' | 'cookie' | undefined;
  /** For `apiKey`: the name of the header, query parameter or cookie. */
  readonly key: string | undefined;
  readonly pointer: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}
