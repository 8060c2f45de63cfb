"""Short sentences of Yoruba, Swahili and Spanish, put together from phrases that were written for this purpose.

Each language has a few patterns, one a tense, so that the adverb of time agrees with the verb; each slot of a pattern
is a list of phrases that fit any phrase of the others. The sentences are well formed, though not always likely.
Yoruba is written with its dotted letters and without tone marks, and without syllabic nasals, which `yoruba.spell`
does not know.
"""

import random
from types import MappingProxyType

from .further import FURTHER

_YORUBA = MappingProxyType(
    {
        "subject": """baba mi, iya wa, ọmọ naa, ọkunrin yẹn, obinrin yẹn, ọba ilu, agbẹ kan, olukọ wa, akẹkọọ kan,
            ọrẹ mi, ẹgbọn mi, aburo rẹ, alagbẹdẹ, ọlọpaa kan, iyawo ọdẹ, gbogbo eniyan, Ṣọla, Fẹmi, Yẹmi ati Kunle,
            apẹja yẹn, dokita, oniṣowo, ọmọbinrin yẹn, Hauwa, Akin""",
        "verb": """ra ẹja, ta ẹran, jẹ iyan, mu omi, ka iwe, ri ẹyẹ, fọ aṣọ, pa ejo, gbin agbado, gbe apoti, gba owo,
            kọ ile, kọ orin, ṣe iṣẹ, pọn omi, gun iyan, din ẹyin, ge igi, ṣi ilẹkun, wọ fila, ju okuta, ran aṣọ,
            ranti itan, gbọ iroyin, pe ọlọpaa, gbagbe kọkọrọ, jo ijo, fẹ iyawo, pin owo, kun ile, tan ina, san gbese,
            ya aworan, lu ilu, fa okun, hun agbọn, ro oko, se ọbẹ, bọ ewurẹ, sọ otitọ, gbẹ iho, fi ahọn rẹ han,
            gbọ ohun rẹ, sọ Hausa, fun ẹyẹ ni ounjẹ, pọn ọpọn, fọ ọkọ pupa""",
        "manner": """pẹlu ọrẹ rẹ, pẹlu ẹgbọn rẹ, pẹlu idunnu, pẹlu ibinu, kiakia, diẹdiẹ, gidigidi, pẹlu ọgbọn,
            daradara, pẹlu iyẹn""",
        "place": """ni ọja, ni oko, ni ilu wa, ni Ibadan, ni Eko, ni ile iwe, ni ẹyin ile, lẹba odo, labẹ igi,
            ninu yara, lori oke, loju ọna, ni aafin, ni papa, ni ṣọọbu, ni gbọngan""",
        "before": "lana, ni ọsẹ to kọja, laipẹ, ni owurọ, ni irọlẹ, ni alẹ, nigba ojo, ni ọjọ Aiku, ni ọjọ Abamẹta",
        "later": "lọla, loni, ni ọjọ kan, ni ọdun to kan, ni ọjọ Ẹti, laipẹ, nigba ẹẹrun",
        "done": "ti, tun, gbiyanju lati, bẹrẹ si",
        "to come": "yoo, fẹ, gbọdọ, le",
    }
)
_SWAHILI = MappingProxyType(
    {
        "subject": """mwalimu, mtoto, mama yangu, baba yake, mkulima, daktari, rafiki yangu, dada yangu, kaka yake,
            bibi, babu, mvuvi, mgeni, mwanafunzi, jirani, mzee, seremala, mpishi, dereva, Juma, Amina, Fatuma, kijana,
            mchungaji, mfanyabiashara""",
        "verb": """nunua samaki, pika wali, soma kitabu, jenga nyumba, kunywa chai, uza mboga, andika barua,
            lipa deni, fundisha watoto, fungua dirisha, funga mlango, vuna mahindi, panda mti, vua samaki,
            ona ng'ombe, osha vyombo, sikiliza redio, poteza ufunguo, endesha gari, fua nguo, cheza ngoma,
            chinja mbuzi, leta zawadi, kata kuni, zungumza Kiswahili, jibu maswali, tembelea ndugu zake, fuga kuku,
            tafuta dhahabu, hesabu fedha, chora picha, imba wimbo, chota maji, beba mzigo, simulia hadithi,
            jifunza lugha mpya, nunua kitambaa ghali, vaa viatu, kumbuka methali, shona shati jeupe, choma nyama,
            ogopa chui, pata habari njema, hesabu mbuzi thelathini""",
        "manner": """haraka, polepole, kwa furaha, pamoja na rafiki yake, kwa bidii, kwa uangalifu, ghafla, tena,
            kwa dhati""",
        "place": """sokoni, shuleni, nyumbani, shambani, mjini, kijijini, jikoni, bandarini, mtoni, kando ya barabara,
            karibu na bahari, chini ya mwembe, Mombasa, Zanzibar, Nairobi, ghorofani""",
        "before": "jana, juzi, wiki iliyopita, zamani, mwaka jana, jana usiku",
        "now": "leo, sasa, kila siku, kila asubuhi, kila jioni",
        "later": "kesho, baadaye, mwaka ujao, kesho jioni, mwezi ujao",
    }
)
_SPANISH = MappingProxyType(
    {
        "subject": """el profesor, la niña, mi hermano, el panadero, la médica, el viejo pescador, una vecina amable,
            el cocinero, mi abuela, el joven ingeniero, la señora García, un guitarrista, el rey, la reina, mi yerno,
            el muchacho rubio, Guillermo, Jorge, la bailarina, un fotógrafo, el jardinero, una amiga mía,
            el zapatero, mi tío Eugenio, la abogada""",
        "did": """compró pan fresco, vendió la guitarra, perdió las llaves, cerró la puerta, bebió agua fría,
            rompió un vaso, escribió una carta, pintó la pared de rojo, vio un zorro, encontró un gato negro,
            cantó una canción, comió arroz con pollo, arregló la bicicleta, oyó la lluvia, cortó el césped,
            pagó la deuda, dibujó un caballo, lavó el coche, recogió las hojas, bailó un tango, tiró la basura,
            sacó seis fotos, trajo leche caliente, ganó veinte euros""",
        "does": """lee un libro antiguo, vende huevos, toca el violín, bebe jugo de naranja, juega al ajedrez,
            cuida las ovejas, enseña español, pesca en el lago, trabaja mucho, estudia geografía, come queso,
            lleva gafas, duerme la siesta, habla con la gente, riega las flores, hace ruido, guarda el dinero,
            cocina pescado, escucha la radio, oye llover""",
        "will": """va a comprar zapatos, va a visitar la ciudad, va a construir un barco, va a hacer un viaje,
            va a jugar con el perro, va a llamar al médico, va a cambiar de trabajo, va a abrir la caja,
            va a subir la montaña, va a llegar tarde, va a buscar oro, va a traer chocolate, va a beber vino,
            va a ver la luna, va a decir la verdad""",
        "place": """en la plaza, en el pueblo, cerca del río, en la cocina, en el jardín, junto al puente, en la calle,
            debajo del árbol, en el mercado, en casa, detrás de la iglesia, en Guadalajara, en Bogotá, en la playa,
            en la huerta""",
        "before": "ayer, anoche, el año pasado, el jueves, hace un mes, ayer por la mañana",
        "now": "hoy, ahora, cada noche, a veces, los domingos, siempre",
        "later": "mañana, esta tarde, el lunes, dentro de poco, el año que viene",
    }
)

# The phrases of a language, and its patterns: what stands in braces is one phrase of that slot.
LANGUAGES = MappingProxyType(
    {
        "yoruba": (
            _YORUBA,
            (
                "{before}, {subject} {verb} {manner} {place}",
                "{subject} {done} {verb} {manner} {place} {before}",
                "{later}, {subject} {to come} {verb} {manner} {place}",
            ),
        ),
        "swahili": (
            _SWAHILI,
            (
                "{before}, {subject} ali{verb} {place}",
                "{subject} ana{verb} {manner} {now}",
                "{later}, {subject} ata{verb} {manner}",
            ),
        ),
        "spanish": (
            _SPANISH,
            (
                "{before}, {subject} {did}",
                "{subject} {does} {now}",
                "{later}, {subject} {will}",
                "{subject} {did} {place}",
            ),
        ),
    }
)


def draw_sentences(language: str, count: int, rng: random.Random) -> list[str]:
    """Return different sentences of a language, the patterns in turn."""
    phrases, patterns = {**LANGUAGES, **FURTHER}[language]
    slots = {name: [" ".join(phrase.split()) for phrase in listed.split(",")] for name, listed in phrases.items()}
    sentences: dict[str, None] = {}  # a set that keeps its order
    while len(sentences) < count:
        pattern = patterns[len(sentences) % len(patterns)]
        chosen = {name: rng.choice(listed) for name, listed in slots.items()}
        sentence = pattern.format_map(chosen)
        sentences[sentence[0].upper() + sentence[1:] + "."] = None
    return list(sentences)
