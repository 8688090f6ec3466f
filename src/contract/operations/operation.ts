import type { Schema } from '../json.js';

/** Where a parameter travels (OpenAPI 3.1 section 4.8.12.1). `querystring` is 3.2's whole query. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie' | 'querystring';

/** One way to write a value as text (OpenAPI 3.1 section 4.8.12.3, Style Values). */
export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie';

/** One method on one path template, with everything inherited from its path item folded in. */
export interface Operation {
  /** The `operationId`; `"GET /path"` where there is none or another operation took the name first. */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** The path key as the document writes it, a fixed query included. */
  readonly path: string;
  /** Base paths this operation is served under, from its own, its path item's or the document's `servers`; `''` is always one. */
  readonly basePaths: readonly string[];
  /** Where it stands in the document. */
  readonly pointer: string;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** In the order of the document. */
  readonly responses: readonly DeclaredResponse[];
  /** Alternatives (OR); each one names schemes that must all hold (AND). Empty: open to anybody. */
  readonly security: readonly SecurityRequirement[];
  /** `x-…` members of the operation, then of its path item. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A parameter with its defaults filled in. */
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
  /** Where its schema stands. */
  readonly schemaPointer: string;
  /** The media type, for a parameter with `content` instead of `schema`. */
  readonly mediaType: string | undefined;
  readonly description: string | undefined;
  readonly examples: readonly Example[];
  readonly pointer: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** What a request may carry as its body. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: readonly MediaType[];
  readonly pointer: string;
}

/** One entry of a `content` map. */
export interface MediaType {
  /** The key, lower case, with its parameters; may be a range such as `text/*`. */
  readonly type: string;
  /** Undefined where the document gives none: anything goes. */
  readonly schema: Schema | undefined;
  readonly schemaPointer: string;
  /** OpenAPI 3.2: the schema of each item of a sequential media type. */
  readonly itemSchema: Schema | undefined;
  readonly itemSchemaPointer: string;
  readonly examples: readonly Example[];
  readonly encoding: Readonly<Record<string, Encoding>>;
  readonly pointer: string;
}

/** How one property of a form or multipart body is written (OpenAPI 3.1 section 4.8.15). */
export interface Encoding {
  readonly contentType: string | undefined;
  readonly headers: readonly DeclaredHeader[];
  readonly style: ParameterStyle | undefined;
  readonly explode: boolean | undefined;
  readonly allowReserved: boolean;
}

/** A named example; the single `example` keyword is the one called `''`. */
export interface Example {
  readonly name: string;
  readonly value: unknown;
  readonly summary: string | undefined;
  readonly pointer: string;
}

/** One entry of `responses`. */
export interface DeclaredResponse {
  /** `'200'`, `'4XX'` (upper case) or `'default'`. */
  readonly status: string;
  readonly description: string | undefined;
  readonly headers: readonly DeclaredHeader[];
  readonly content: readonly MediaType[];
  /** Link Objects by name, their references followed. */
  readonly links: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly pointer: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A header an answer or a part may or must carry. */
export interface DeclaredHeader {
  readonly name: string;
  readonly required: boolean;
  readonly explode: boolean;
  readonly schema: Schema;
  readonly schemaPointer: string;
  readonly examples: readonly Example[];
  readonly pointer: string;
}

/** Scheme name -> scopes; all of them must hold. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** How a credential travels (OpenAPI 3.1 section 4.8.27). */
export interface SecurityScheme {
  readonly name: string;
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect';
  /** For `http`: lower case, `bearer` or `basic` or another registered scheme. */
  readonly scheme: string | undefined;
  /** For `apiKey`. */
  readonly in: 'query' | 'header' | 'cookie' | undefined;
  /** For `apiKey`: the name of the header, query parameter or cookie. */
  readonly key: string | undefined;
  readonly pointer: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}
