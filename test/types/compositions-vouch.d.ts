/** Types of Compositions 1.0.0, written by "vouch types". Changes are lost when they are written again. */

export interface paths {
  "/values": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations["sendValue"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** Any JSON value. */
    Json: _Json;
    Branch: _Branch;
    Branches: _Branches;
    Matrix: _Matrix;
    Term: _Term;
    Directory: { [key: string]: string | components["schemas"]["Directory"] };
    Condition: {
      all: components["schemas"]["Condition"][];
    } | {
      none: components["schemas"]["Condition"];
    } | boolean;
    class: _class;
    "two words": _two$32$words;
    Outline: {
      title: string;
      chapters?: components["schemas"]["Outline"][];
    };
    Itself: unknown;
    Payment: components["schemas"]["Card"] | components["schemas"]["Transfer"];
    Card: {
      method: "card";
      last4: string;
      details?: Record<string, never>;
    };
    Transfer: {
      method: "transfer";
      iban?: string;
      details?: Record<string, never>;
    };
    Refunded: components["schemas"]["Payment"] & {
      reason: string;
    };
    RefundedTwice: components["schemas"]["Refunded"] & {
      second?: string;
    };
    RefundedCard: components["schemas"]["Payment"] & {
      method?: "card";
    };
    Detailed: ({
      method: "card";
      last4: string;
      details?: {} | null;
    } | {
      method: "transfer";
      iban?: string;
      details?: {} | null;
    }) & {
      details?: {
        fee: number;
      };
    };
    Charge: components["schemas"]["Payment"] | components["schemas"]["Cash"];
    Cash: {
      method: "cash";
    };
    Cyclist: {
      kind: string;
      name: string;
    } & {
      gears?: number;
    } & {
      kind: "bike";
    };
    Rider: {
      kind: string;
      name: string;
    } & (components["schemas"]["Cyclist"] | components["schemas"]["Jockey"]);
    Jockey: {
      kind?: "horse";
    } & {
      kind: string;
      name: string;
    } & {
      horse: string;
    } & {
      kind: "horse";
    };
    Apprentice: components["schemas"]["Jockey"] & {
      year?: number;
    };
    Shape: {
      kind: string;
      area?: number;
    } & (components["schemas"]["Circle"] | components["schemas"]["Square"]);
    Circle: {
      kind: string;
      area?: number;
    } & {
      radius?: number;
    } & {
      kind: "Circle";
    };
    Square: {
      kind: string;
      area?: number;
    } & {
      side?: number;
    } & {
      kind: "Square";
    };
    Account: {
      plan: string;
      owner: string;
    } & { [key: string]: unknown };
    Paid: {
      plan: string;
      owner: string;
    } & { [key: string]: unknown } & {
      price?: number;
    } & {
      plan: "paid";
    };
    Yearly: components["schemas"]["Account"] & {
      price?: number;
    } & {
      until?: string;
    } & {
      plan: "yearly";
    };
    User: {
      id: string;
    };
    Users: components["schemas"]["User"][];
    Anything: Record<string, never>;
    Page: {
      data: Record<string, never>[];
      total: number;
    };
    CursorPage: components["schemas"]["Page"] & {
      cursor?: string;
    };
    UserPage: {
      data?: components["schemas"]["Users"];
    } & {
      data: {} | null;
      total: number;
    };
    UserCursorPage: {
      data: {} | null;
      total: number;
    } & {
      cursor?: string;
    } & {
      data?: components["schemas"]["User"][];
    };
    MixedPage: {
      data: {} | null;
      total: number;
    } & ({
      data?: components["schemas"]["Users"];
    } | {
      data?: string[];
    });
    Event: {
      name: string;
      payload: Record<string, never>;
      meta?: {
        page?: Record<string, never>;
        at?: string;
      };
    };
    UserEvent: {
      name: string;
      payload: {} | null;
      meta?: {
        page?: {} | null;
        at?: string;
      };
    } & {
      payload?: components["schemas"]["User"];
      meta?: {
        page?: {
          n: number;
        };
      };
    };
    NamedUsers: components["schemas"]["User"][];
    PlainUser: components["schemas"]["User"];
    Nullable: {
      user?: {} | null;
      users?: {} | null;
    } & {
      user?: components["schemas"]["User"] | null;
      users?: components["schemas"]["User"][] | null;
    };
    Settings: { [key: string]: {} | null } & { [key: string]: components["schemas"]["User"] };
    StillEmpty: {
      empty?: Record<string, never>;
    } & {
      other?: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  sendValue: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": _Json;
      };
    };
    responses: {
      /** The values. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": _Json[];
        };
      };
    };
  };
}
export interface collections {
}
type _Json = string | number | boolean | null | _Json[] | { [key: string]: _Json };
type _Branch = _Branches | string;
type _Branches = _Branch[];
type _Matrix = (_Matrix | number)[][];
type _Term = string | ["and" | "or", ..._Term[]];
type _class = (_class | _two$32$words)[];
type _two$32$words = _two$32$words[];
