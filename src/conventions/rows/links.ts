/** URLs. */
export const LINKS = {
  /** The URL of the item. */
  self: {
    where: 'property',
    names: 'uri url href self self(url|uri|link|href) resource(uri|url) @odataid @id',
    seen: 'GitHub, Box',
  },
  own: {
    where: 'property',
    names: 'self self(url|uri|link|href) resource(uri|url) @odataid',
    seen: 'GitHub, Train Travel',
  },
  plain: { where: 'property', names: 'url uri href', seen: 'GitHub, Box' },
  name: { where: 'property', names: '*url *uri *link *href', seen: 'GitHub, Stripe' },
  word: { where: 'word', names: 'url uri link href', seen: 'GitHub, Box' },
} as const;
