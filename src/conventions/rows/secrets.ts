/** Values that are shown once, or sent as a credential. */
export const SECRETS = {
  /** Only the answer to a create shows it; tokens of pages are not secret. */
  new: {
    where: 'property',
    names: '*(secret|token|password) *(api|access|private|signing)key',
    unless: '*(next|page|cursor|continuation|sync|client|request)token',
    seen: 'GitHub, Box',
  },
  /** The value of `Authorization`. Other secrets, such as a signature or the token of a page, are values of their own. */
  credential: { where: 'parameter', names: '(access|auth|bearer|oauth)?token authorization', seen: 'Stripe, Box' },
  /** The name of a secret in an object with its value. */
  label: { where: 'property', names: 'name key variable', seen: 'Box, GitHub' },
} as const;
