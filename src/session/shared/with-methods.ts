/** The same object with other methods in place of some; members that are computed stay so. */
export function withMethods<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(target), ...Object.getOwnPropertyDescriptors(methods) },
  ) as Target;
}
