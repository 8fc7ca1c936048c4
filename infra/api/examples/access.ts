import type { Examples } from './example.ts';

export const ACCESS_EXAMPLES: Examples = {
  'POST /api/token/': [
    {
      name: 'employee',
      summary: 'The demonstration insurer’s employee logs in',
      body: { email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' },
      status: 200,
      answer: {
        access:
          'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIyIiwiYWNjZXNzX2xpZmV0aW1lIjo5MDB9.c2lnbmF0dXJlLW9mLXRoZS1leGFtcGxl',
      },
    },
    {
      name: 'nothingSent',
      summary: 'Neither e-mail nor password',
      body: {},
      status: 400,
      answer: { email: ['Este campo es obligatorio.'], password: ['Este campo es obligatorio.'] },
    },
  ],
};
