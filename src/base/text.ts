/** Text in XML or HTML, in an element or in a quoted attribute. */
export function escapeMarkup(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  // XML 1.0 does not allow other control characters, even escaped.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return escaped.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

/** The source of a regular expression that matches one string. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
