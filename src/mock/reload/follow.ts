/**
 * An object with the members of another one, which is read with each use: its users need not know that the other one is replaced.
 *
 * It costs more than the object itself, so that no request depends on it.
 */
export function follow<Followed extends object>(read: () => Followed): Followed {
  const handler: ProxyHandler<object> = {
    get: (_, name) => {
      const target = read();
      const value: unknown = Reflect.get(target, name);
      // A method of a Map needs its own Map.
      return typeof value === 'function' ? value.bind(target) : value;
    },
    has: (_, name) => Reflect.has(read(), name),
    ownKeys: () => Reflect.ownKeys(read()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(read(), name);
      // The empty object has no such property, so that it must be configurable.
      return found && { ...found, configurable: true };
    },
  };
  // It has the members of the followed object.
  return new Proxy({}, handler) as Followed;
}
