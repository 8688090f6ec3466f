/** Properties that show what was removed. */
export const REMOVED = {
  /** Says that an item was removed. */
  flag: { where: 'property', names: '(is)?(deleted|archived|trashed|removed)(flag)?', seen: 'GitHub, OpenAI' },
  /** Reports a removal as done. */
  report: { where: 'property', names: 'deleted removed isdeleted acknowledged', seen: 'GitHub, OpenAI' },
  /** Removes the element of an array in which it is sent. */
  element: { where: 'property', names: 'deleted? destroy removed?', seen: 'GitHub, Box' },
  /** When an item was removed; what exists has none. */
  moment: {
    where: 'property',
    names: '(date|time)?(deleted|removed|trashed|archived|discarded)(at|on|date|time)?',
    seen: 'GitHub, Box',
  },
  time: {
    where: 'property',
    names: '(date|time)?(delete|disable|deactivate)d?(at|on|date|time)?',
    seen: 'GitHub, Box',
  },
} as const;
