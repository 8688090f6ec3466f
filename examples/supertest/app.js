// The service that is tested.
import express from 'express';

const bookings = [];

export const app = express();
app.use(express.json());

app.get('/v1/stations', (_request, response) => {
  response.json([{ id: 'berlin', name: 'Berlin' }]);
});

app.post('/v1/bookings', (request, response) => {
  const { station, seats } = request.body;
  if (typeof station !== 'string' || !Number.isInteger(seats) || seats < 1) {
    response.status(400).json({ message: 'a booking has a station and seats' });
    return;
  }
  const booking = { id: String(bookings.length + 1), station, seats };
  bookings.push(booking);
  response.status(201).json(booking);
});

// The document says that a booking has a station.
app.get('/v1/bookings', (_request, response) => {
  response.json([{ id: '1', seats: 2 }]);
});
