/** Types of Stations 1.0.0, written by "vouch types". Changes are lost when they are written again. */

export interface paths {
  "/stations": {
    parameters: {
      query?: never;
      header?: {
        "Accept-Language"?: components["parameters"]["Language"];
      };
      path?: never;
      cookie?: never;
    };
    /**
     * List stations
     * A page of stations. Comments end with *\/ here.
     */
    get: operations["listStations"];
    put?: never;
    post: operations["createStation"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/stations/{station_id}": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        station_id: string;
      };
      cookie?: never;
    };
    /** @deprecated */
    get: operations["stations/read"];
    put?: never;
    post?: never;
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          station_id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** Deleted. */
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/photos": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put: operations["uploadPhoto"];
    post?: never;
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
    Problem: {
      7?: boolean;
      title: string;
      status?: number;
      "x-odd name"?: string;
    };
    NewStation: {
      /**
       * The name.
       * In two lines.
       */
      name: string;
      /** @default 2 */
      platforms: number;
      kind?: "station";
      parent?: components["schemas"]["Station"];
    };
    /** A station. */
    Station: WithRequired<components["schemas"]["NewStation"], "platforms"> & {
      /** Format: uuid */
      readonly id: string;
      secret?: string;
      position?: [number, number];
      tags?: { [key: string]: string };
      settings?: { [key: string]: unknown };
      labels?: { [key: string]: number };
      empty?: Record<string, never>;
      anything?: unknown;
      level?: 1 | -2 | "high" | true | null;
      kinds?: (string | number)[];
      vehicle?: components["schemas"]["Bus"] | components["schemas"]["Train"];
      owner?: string | components["schemas"]["Cat"] | null;
    };
    Bus: {
      type: "bus" | "coach";
      seats: number;
    };
    Train: {
      type: "train";
      cars?: string[][];
    };
    Animal: {
      species: string;
      name?: string;
    };
    Cat: Omit<components["schemas"]["Animal"], "species"> & {
      lives?: number;
    } & {
      species: "cat";
    };
    Dog: Omit<components["schemas"]["Animal"], "species"> & {
      barks?: boolean;
    } & {
      species: "Dog";
    };
    Tree: {
      children?: components["schemas"]["Tree"][];
    };
  };
  responses: {
    /** A problem. */
    Problem: {
      headers: {
        Link: components["headers"]["Next"];
        [name: string]: unknown;
      };
      content: {
        "application/problem+json": components["schemas"]["Problem"];
      };
    };
  };
  parameters: {
    Language: string;
  };
  requestBodies: {
    Station: {
      content: {
        "application/json": components["schemas"]["NewStation"];
      };
    };
  };
  headers: {
    Next: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  /**
   * List stations
   * A page of stations. Comments end with *\/ here.
   */
  listStations: {
    parameters: {
      query: {
        /** The size of a page. */
        limit?: number;
        country: "DE" | "FR";
      };
      header?: {
        "Accept-Language"?: components["parameters"]["Language"];
        "X-Trace"?: string;
      };
      path?: never;
      cookie?: {
        theme?: string;
      };
    };
    requestBody?: never;
    responses: {
      /** A page. */
      200: {
        headers: {
          "X-Total"?: number;
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Station"][];
            next?: string | null;
          };
        };
      };
      /** A problem. */
      "4XX": components["responses"]["Problem"];
      /** A problem. */
      default: components["responses"]["Problem"];
    };
  };
  createStation: {
    parameters: {
      query?: never;
      header?: {
        "Accept-Language"?: components["parameters"]["Language"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: components["requestBodies"]["Station"];
    responses: {
      /** Created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Station"];
        };
      };
      /** A problem. */
      422: components["responses"]["Problem"];
    };
  };
  /** @deprecated */
  "stations/read": {
    parameters: {
      query?: never;
      header?: never;
      path: {
        station_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A station. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Station"];
          "text/csv": string;
        };
      };
    };
  };
  uploadPhoto: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        "multipart/form-data": {
          /** Format: binary */
          file: string;
          /** @default "none" */
          caption?: string;
        };
        "image/png": unknown;
      };
    };
    responses: {
      /** The photo. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "image/png": string;
        };
      };
    };
  };
}
export interface collections {
  /** /stations */
  stations: components["schemas"]["Station"];
}
type WithRequired<T, K extends keyof T> = T & { [P in K]-?: T[P] };
