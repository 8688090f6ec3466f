/** Names in answers that are streamed. */
export const STREAMS = {
  /** Asks for a stream. */
  parameter: {
    where: 'parameter',
    names: `
      (is|enable|use|with|as|do)?stream(ing|ed)? *stream(ing|ed)? stream(response|output|result|mode|format)s?
      watch follow tail
    `,
    seen: 'OpenAI, Kubernetes',
  },
  /** A string that grows while an answer is streamed. */
  text: {
    where: 'property',
    names: `
      *text *content *delta *markdown *transcript token chunk partial piece fragment response output completion
      answer message generation result reply arguments reasoning thinking refusal code body summary input
    `,
    seen: 'GitHub, OpenAI',
  },
  /** A string that is the same all the time. */
  fixed: {
    where: 'property',
    names: `
      *id model object type kind event role name title lang language version status state url uri key *at *date
      *time *timestamp *reason
    `,
    seen: 'GitHub, Stripe',
  },
  end: {
    where: 'property',
    names: '(is)?(done|final|finished|complete|completed|last|end|eos|eof|stop|stopped)',
    seen: 'Box, OpenAI',
  },
  /** Why a stream ended. */
  reason: {
    where: 'property',
    names: '*(finish|stop|end|complet|terminat)*(reason|cause|sequence)',
    seen: 'Box, GitHub',
  },
  counter: {
    where: 'property',
    names: '(sequence|seq|chunk|event|message)?(index|number|no|num|position|offset|seq|sequence)',
    seen: 'GitHub, OpenAI',
  },
  sequence: { where: 'property', names: 'seq(uence)?(no|num|number|id|index)?', seen: 'Box, OpenAI' },
  /** Only the last event has it. */
  late: {
    where: 'property',
    names: 'usage *reason *sequence *(completed|finished|ended)(at|on|time)',
    seen: 'Stripe, GitHub',
  },
  type: { where: 'property', names: 'type event kind eventtype', seen: 'GitHub, Box' },
  /** The text after the last event. */
  sentinel: { where: 'extension', names: 'x*(sentinel|terminator|endmarker)*', seen: 'Mistral AI' },
  /** Events of failures, of waiting, and those that only keep a connection open. */
  unwanted: {
    where: 'value',
    names: `
      *error* *fail* *cancel* *expire* *incomplete* *abort* *timeout* *reject* *refused* *queued* *ping*
      *heartbeat* *keepalive* *requires* *warning*
    `,
    seen: 'Stripe, OpenAI',
  },
  /** An encoding that is not `base64`. */
  numbers: { where: 'value', names: 'float* array* list* number* json*', seen: 'OpenAI, Box' },
  kind: { where: 'value', names: 'sse stream(ing|ed)? (text)?eventstream ndjson jsonl', seen: 'OpenAI' },
} as const;
