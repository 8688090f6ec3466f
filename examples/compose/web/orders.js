// The mock; in production the address of the API.
const api = 'http://127.0.0.1:4010/v1';

async function call(path, init) {
  const response = await fetch(api + path, init);
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

async function show() {
  const list = document.getElementById('orders');
  const message = document.getElementById('message');
  try {
    const orders = await call('/orders');
    const items = orders.map((order) => Object.assign(document.createElement('li'), { textContent: order.item }));
    list.replaceChildren(...items);
    message.textContent = `${orders.length} orders`;
  } catch (error) {
    message.textContent = error.message;
  }
}

document.getElementById('create').addEventListener('submit', async (event) => {
  event.preventDefault();
  const item = document.getElementById('item').value;
  await call('/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ item }),
  });
  await show();
});

show();
