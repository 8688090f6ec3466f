/** The names that the documents of APIs use for one meaning. */
export interface Convention {
  /** Where such a name stands. */
  readonly where:
    | 'extension'
    | 'format'
    | 'header'
    | 'parameter'
    | 'property'
    | 'schema'
    | 'segment'
    | 'value'
    | 'verb'
    | 'word';
  /**
   * The names in lower case and without separators, the most likely first, with spaces between them. `*` is any text, `(a|b)` one of
   * two, and `?` makes a letter or a group optional: `total(count)? *token`.
   */
  readonly names: string;
  /** Names that have no such meaning although `names` has them. */
  readonly unless?: string;
  /** Public documents, or services, that use such a name. */
  readonly seen: string;
}
