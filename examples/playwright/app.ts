import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';

// The page under test: it lists the stations of the API that its address names, and books seats.
const PAGE = `<!doctype html>
<title>Trains</title>
<ul></ul>
<button>Book</button>
<p></p>
<script type="module">
  import { createClient } from './trains.js';
  const client = createClient({ baseUrl: new URLSearchParams(location.search).get('api') });
  const show = (text) => document.querySelector('p').replaceChildren(text);
  client.listStations().then(
    (stations) => document.querySelector('ul').append(...stations.map(({ name }) => {
      const item = document.createElement('li');
      item.append(name);
      return item;
    })),
    (error) => show(error.message),
  );
  document.querySelector('button').onclick = async () => {
    await client.book({ station: 'BER', seats: 2 });
    show((await client.listBookings()).length + ' booked');
  };
</script>`;

/** Serves the page and the client on a free port. */
export async function serveApp(): Promise<{ url: string; server: Server }> {
  const client = readFileSync(new URL('../client/trains.js', import.meta.url));
  const server = createServer(({ url }, response) => {
    const isClient = url === '/trains.js';
    response.setHeader('content-type', isClient ? 'text/javascript' : 'text/html');
    response.end(isClient ? client : PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}` };
}
