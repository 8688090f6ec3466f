// The service that is tested.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume();
  const isBooking = request.url === '/v1/bookings';
  const body = isBooking ? { id: '1', station: 'berlin', seats: 2 } : [{ id: 'berlin', name: 'Berlin' }];
  response.writeHead(isBooking ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(Number(process.env.PORT), '127.0.0.1');
