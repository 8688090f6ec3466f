/** A kind of error, as clients distinguish them. */
export type ErrorCondition =
  | 'missing-parameter'
  | 'unknown-parameter'
  | 'invalid-value'
  | 'malformed-body'
  | 'invalid-request'
  | 'unauthorized'
  | 'payment-required'
  | 'forbidden'
  | 'not-found'
  | 'gone'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'idempotency-key-reused'
  | 'precondition-failed'
  | 'content-too-large'
  | 'unsupported-media-type'
  | 'rate-limited'
  | 'server-error';

/** The statuses and words of a condition. */
export interface ConditionFacts {
  /** Its statuses; the kinds of an invalid request have the statuses of `invalid-request`. */
  readonly statuses: readonly number[];
  /** Words for it in codes and types of errors, as letters in lower case, the most exact first. */
  readonly words: readonly RegExp[];
}

/** Words that "missing" and "required" belong to where no parameter is missing. */
const OTHERS = '(?!.*(payment|auth|login|credential|key|permission|resource|object|entity|record|notfound))';

/** The conditions with their statuses and words. */
export const CONDITIONS: Readonly<Record<ErrorCondition, ConditionFacts>> = {
  'missing-parameter': {
    statuses: [],
    words: [/^(missing|required)$/, new RegExp(`^${OTHERS}.*(missing|required|blank)`)],
  },
  'unknown-parameter': {
    statuses: [],
    words: [
      /(unknown|unexpected|unrecogni[sz]ed|additional|extra|undeclared).*(param|field|propert|attribute|argument|key)/,
      /(param|field|property|attribute|argument|key).*(unknown|unexpected|unrecogni[sz]ed|additional)/,
      /^extra/,
    ],
  },
  'invalid-value': { statuses: [], words: [] },
  'malformed-body': { statuses: [], words: [/malformed|(parse|parsing|syntax)(error)?$|(invalid|bad)json/] },
  'invalid-request': {
    statuses: [400, 422],
    words: [
      /^(invalid|bad)(argument|request|input|parameter)s?$/,
      /validation/,
      /invalidrequest|badrequest|requesterror/,
      /invalid/,
    ],
  },
  unauthorized: {
    statuses: [401],
    words: [/unauthenticated|unauthori[sz]ed|authentication/, /auth|credential|apikey|token/],
  },
  'payment-required': { statuses: [402], words: [/paymentrequired/, /card|payment|billing/] },
  forbidden: {
    statuses: [403],
    words: [/permissiondenied|forbidden/, /permission|accessdenied|authorization|denied/],
  },
  'not-found': {
    statuses: [404],
    words: [/^(resource|object)?notfound/, /notfound|nosuch|missing|unknown(id|resource)/],
  },
  gone: { statuses: [410], words: [/^gone$/] },
  'method-not-allowed': { statuses: [405], words: [/methodnotallowed/] },
  'not-acceptable': { statuses: [406], words: [/notacceptable/] },
  conflict: { statuses: [409], words: [/alreadyexists|conflict|aborted/, /exists|duplicate|taken/] },
  'idempotency-key-reused': { statuses: [], words: [/idempoten/] },
  'precondition-failed': {
    statuses: [412, 428],
    words: [/preconditionfailed|failedprecondition/, /precondition/],
  },
  'content-too-large': { statuses: [413], words: [/toolarge/] },
  'unsupported-media-type': { statuses: [415], words: [/mediatype/] },
  'rate-limited': {
    statuses: [429],
    words: [/ratelimit|toomanyrequests|resourceexhausted/, /throttl|quota|limit/],
  },
  'server-error': {
    statuses: [500],
    words: [/^internal(server)?(error)?$/, /internal|servererror|apierror/, /server|unavailable|unknown/],
  },
};
