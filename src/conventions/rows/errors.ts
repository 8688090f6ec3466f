/** Members and codes of errors. */
export const ERRORS = {
  /** Only errors have one of these. */
  sign: { where: 'property', names: 'errors? message detail', seen: 'GitHub, OpenAI' },
  member: {
    where: 'property',
    names: `
      code details? errors? instance messages? path reason requestid status(code)? success timestamp title traceid
      type
    `,
    seen: 'GitHub, OpenAI',
  },
  /** How a request ended; an object that has all of them also says why one failed. */
  outcome: { where: 'property', names: 'code message reason', seen: 'GitHub, OpenAI' },
  /** An object inside of an error that describes it. */
  part: {
    where: 'property',
    names: 'errors? faults? problems? details? status meta response result body data contextinfo',
    seen: 'GitHub, OpenAI',
  },
  /** An array of the steps to the value at fault. */
  path: { where: 'property', names: 'loc location path', seen: 'GitHub, Box' },
  /** A string that says why a request failed. */
  reason: { where: 'property', names: 'error errorcode errormessage reason', seen: 'OpenAI, Box' },
  /** The type or code of any error. */
  any: {
    where: 'value',
    names: '(api|general|generic|unknown)error other unknown error fail(ed|ure)?',
    seen: 'GitHub, OpenAI',
  },
  unknownItem: {
    where: 'value',
    names: '*notfound* *nosuch* *unknown* *doesnotexist* *missing*',
    seen: 'Stripe, GitHub',
  },
  invalid: { where: 'value', names: '*invalid*', unless: '*auth* *name* *arg*', seen: 'Stripe, OpenAI' },
} as const;
