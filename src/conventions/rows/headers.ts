/** Response headers. */
export const HEADERS = {
  /** Depends on the item, the page or the request, so that only the source of an answer knows if there is a value. */
  dependent: {
    where: 'header',
    names: `
      link location etag lastmodified retryafter setcookie wwwauthenticate content* preferenceapplied idempoten*
      *total* *count* *page* *next* *prev* *cursor* *offset* *continuation* *marker* *range* *deprecat* *sunset*
      *replay*
    `,
    seen: 'Box, GitHub',
  },
  /** The rate limit of another quantity than requests. */
  otherLimit: { where: 'header', names: '*token* *byte* *cost* *point*', seen: 'OpenAI' },
  /** A header of an error that is part of what it says. */
  kept: { where: 'header', names: 'retryafter wwwauthenticate location allow xratelimit*', seen: 'GitHub' },
} as const;
