/** Names that identify. */
export const IDS = {
  /** Identifies and says nothing else. */
  id: { where: 'property', names: 'id pk uuid guid uid gid sid', seen: 'GitHub, Box' },
  /** Strings that do not identify. */
  otherFormat: { where: 'format', names: 'ur(i|l)* date* byte* binary*', seen: 'GitHub, Box' },
  /** Identifies an item whatever its parameter is called; Django calls it `pk`. */
  main: { where: 'property', names: 'id pk', seen: 'Box, GitHub' },
  /** Identifies an item where nothing else does, the most likely first. */
  other: {
    where: 'property',
    names: 'objectid resourceid entityid uuid guid uid sid gid key slug code name number',
    seen: 'GitHub, OpenAI',
  },
  /** Identifies and can be read. */
  name: { where: 'property', names: 'arn code key name number slug', seen: 'GitHub, Stripe' },
  /** Identifies an account of e-mail or a host. */
  address: { where: 'property', names: 'address', seen: 'Box, Stripe' },
  object: { where: 'property', names: 'objectid', seen: 'Parse' },
  /** A second id that a server gives. */
  second: { where: 'property', names: 'nodeid', seen: 'GitHub' },
  /** The id of the item, of any kind, to which this one belongs. */
  ofParent: { where: 'property', names: 'resourceid', seen: 'DigitalOcean' },
  /** The id in an object such as `{ name, value }`. */
  value: { where: 'property', names: 'value', seen: 'Box, GitHub' },
  /** Names that people use for an object; names that look most like a key first. */
  person: { where: 'property', names: 'login slug username', seen: 'GitHub, Box' },
  /** In the order in which a parameter means them. */
  readable: { where: 'property', names: 'login username slug key name id', seen: 'GitHub, Box' },
  /** Identifies an element of an array, the most likely first. */
  element: { where: 'property', names: 'name login username slug key title id', seen: 'GitHub, Box' },
  /** People know an item by it, so that items differ in it. */
  natural: {
    where: 'property',
    names: `
      sku slug key *number *reference(no|number|code)? *ref(no|number|code) *serial(no)? barcode isbn(10|13)? ean(13)? gtin upc vin
      iban (license|licence|number)plate
    `,
    unless: '*phone* *mobile* *fax* *version* *page* *card* *build* *port* *line*',
    seen: 'Stripe, Shopify, Jira',
  },
  ending: { where: 'property', names: '*id *arn *key *name *slug', seen: 'GitHub, OpenAI' },
  /** Holds a value that a server generates, not a name. */
  opaque: { where: 'parameter', names: '*id *uuid *guid *sid', seen: 'GitHub, Box' },
  secret: { where: 'parameter', names: '*token *secret *key', seen: 'Box, Stripe' },
  /** The last word of a parameter that is the name of a property which identifies. */
  keyWord: {
    where: 'parameter',
    names: 'alias code domain email handle hostname key login name number sha sku slug symbol username',
    seen: 'GitHub, Stripe',
  },
  /** Can hold only the id of what was created. */
  created: {
    where: 'property',
    names: 'result data item value payload response content key identifier *id',
    seen: 'GitHub, OpenAI',
  },
  /** The members of an object that only refers to an item. */
  reference: { where: 'property', names: 'id type object', seen: 'Box, GitHub' },
  /** An object that names the parent of an item. */
  parent: { where: 'property', names: 'parent container belongsto', seen: 'GitHub, Box' },
  resourceName: { where: 'property', names: 'name resourcename fullname', seen: 'GitHub, Box' },
  /** Repeats all parts of a key. */
  joined: {
    where: 'property',
    names: 'full(name|slug|path|id) pathwithnamespace namewith(owner|namespace) qualifiedname',
    seen: 'GitHub',
  },
} as const;
