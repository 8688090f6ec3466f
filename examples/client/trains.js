// The client that the examples test. It gets the base URL and, where a runner has no global fetch, a fetch function.

/**
 * @typedef {{ id: string, name: string }} Station
 * @typedef {{ id?: string, station: string, seats: number }} Booking
 */

/** @param {{ baseUrl: string, fetch?: (url: string, init?: RequestInit) => Promise<Response> }} options */
export function createClient({ baseUrl, fetch = globalThis.fetch }) {
  /** @param {string} path @param {RequestInit} [init] */
  const request = async (path, init) => {
    const response = await fetch(baseUrl + path, init);
    if (!response.ok) throw new Error(`${response.status}: ${(await response.json()).message}`);
    return response.json();
  };
  return {
    /** @returns {Promise<Station[]>} */
    listStations: () => request('/stations'),
    /** @returns {Promise<Booking[]>} */
    listBookings: () => request('/bookings'),
    /** @param {Booking} booking @returns {Promise<Booking>} */
    book: (booking) =>
      request('/bookings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(booking),
      }),
  };
}
