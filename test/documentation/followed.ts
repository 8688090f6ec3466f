/** Whether a page is followed as a reader does: `guides.test.ts` copies each of its blocks into an empty folder, in order. */
export function isFollowed(path: string): boolean {
  return (
    /^(?:README|docs\/getting-started|docs\/first-ten-minutes|docs\/guides\/.*)\.md$/u.test(path) ||
    /^docs\/migration\/(?:msw|json-server|wiremock|mockoon)\.md$/u.test(path)
  );
}
