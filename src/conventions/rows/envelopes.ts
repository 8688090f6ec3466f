/** Objects and arrays around items. */
export const ENVELOPES = {
  /** The array of a list. */
  items: {
    where: 'property',
    names: `
      data items results? entries values? records rows list content elements objects resources collection edges
      nodes hits
    `,
    seen: 'GitHub, OpenAI',
  },
  /** The array that a request is about. */
  inputs: {
    where: 'property',
    names: 'inputs? items objects records entries resources data list',
    seen: 'GitHub, Box',
  },
  /** An object around a list. */
  embedding: { where: 'property', names: 'embedded data result response body payload', seen: 'GitHub, OpenAI' },
  /** An object with the id of the item around it: `metadata.name`. */
  holder: { where: 'property', names: 'metadata meta data attributes properties spec key', seen: 'Box, GitHub' },
  /** An object with properties of the item around it: JSON:API has `attributes`, others have `properties` or `fields`. */
  part: {
    where: 'property',
    names: 'attributes properties fields spec values details data metadata',
    seen: 'Box, GitHub',
  },
  /** An object with objects that name related items. */
  relations: { where: 'property', names: 'relationships', seen: 'JSON:API' },
  /** An object of a request with properties that the item itself has: `options: { webhook }`. */
  options: {
    where: 'property',
    names: 'options settings params parameters config configuration',
    seen: 'GitHub, Stripe',
  },
  /** Has the parameters of a method, in a request. */
  parameters: { where: 'property', names: 'params parameters arguments args', seen: 'aria2, Kea, Transmission' },
  /** Tells the methods of one path apart, in a request. */
  method: { where: 'property', names: 'method action command cmd', seen: 'aria2, Transmission, AWS' },
  /** Says whether a request succeeded. */
  success: { where: 'property', names: 'ok success succeeded issuccess(ful)?', seen: 'Slack' },
  /** Arrays about the request, not of items. */
  reports: { where: 'property', names: 'errors messages warnings', seen: 'OpenAI, Box' },
  /** Says what went wrong, or has words for people: answers of a success do not show it unless they must. */
  failure: {
    where: 'property',
    names:
      '*errors? *error(code|message|msg|type|description)? *failure* *warnings? message msg reason details? description status(code|text)? code',
    seen: 'Slack, Box',
  },
  /** A member of an envelope around an item or a list. */
  member: {
    where: 'property',
    names: `
      success ok errors? messages? warnings? info meta(data)? links? included jsonapi status(code|text)? code
      requestid traceid took elapsed usage resultinfo pagination paging pageinfo responsemetadata timestamp time duration next* prev*
      first* last* total* count size limit offset page* perpage hasmore cursors? self url uri @odata*
    `,
    seen: 'GitHub, Stripe',
  },
  /** An object around another one. */
  wrapper: {
    where: 'property',
    names: 'attributes data item payload resource response result',
    seen: 'GitHub, OpenAI',
  },
} as const;
