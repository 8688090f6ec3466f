import OpenAI from 'openai';
import { createMock } from 'vouch';

const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
const server = await mock.listen();
const client = new OpenAI({ baseURL: server.baseUrl, apiKey: 'any', adminAPIKey: 'any' });

const file = await client.files.content('file-handbook');
console.log(await file.text());

for await (const key of client.admin.organization.adminAPIKeys.list({ limit: 3 })) console.log(key.name);

await mock.close();
