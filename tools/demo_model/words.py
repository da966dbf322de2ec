"""Word lists and the syllables from which names are invented, so that copying cannot be learnt by heart."""

from typing import Final


def _words(row: str) -> list[str]:
    return row.split()


def _parted(row: str) -> list[str]:
    """For entries that have spaces inside."""
    return row.split("|")


ONSETS: Final = _words(
    "b br c ch cl d dr f fl g gl gr h j k kl kr l m n p pl pr qu r s sh sk sl sm sn st str t th tr v w y z"
)
VOWELS: Final = _words("a e i o u a e i o ai au ea ee ia ie io oa oo ou ue é ö ü å á í ó")
CODAS: Final = _words("n r l s t m x k d nd rt lm sk th ng st ck ff lla na ro ra no")

PEOPLE: Final = _words(
    "Olivier Ada Anna Ben Clara David Emma Felix Grace Hugo Ines Jack Kim Laura Max Nina Omar Paul Rosa "
    "Sam Tom Uma Victor Wendy Xavier Yara Zoe Alice Bob Carol Dave Eve Maria John Jane Peter Lucy Leo Mia "
    "Noah Liam Sofia José Zoë Jürgen Søren Élodie Chloé Björn André Ana Ivan Olga Yuki Ken Mei Ali Fatima "
    "Raj Priya Chen Alan Grace"
)
CITIES: Final = _parted(
    "Paris|London|Berlin|Madrid|Rome|Oslo|Vienna|Tokyo|New York|San Francisco|Boston|Chicago|Zürich|"
    "São Paulo|Lyon|Milan|Dublin|Prague|Athens|Cairo|Delhi|Mumbai|Sydney|Toronto|Moscow|Beijing|Seoul|Lima|"
    "Bogotá|Munich|Köln|Geneva|Brussels|Amsterdam|Warsaw|Budapest|Stockholm|Helsinki|Copenhagen|Reykjavik|"
    "Los Angeles|Seattle|Nairobi|Lagos|Singapore|Hong Kong|Bangkok|Dallas|Miami|Nice|Porto|Kyoto|Osaka|"
    "Hamburg|Barcelona"
)
CITY_PREFIXES: Final = _words("New San Los Santa Port Saint El Fort")
UNSEEN_CITIES: Final = _parted("Lisbon|Denver|Bergen|Málaga|Turin|Quito|Austin|Perth|Las Vegas|Bern")
UNSEEN_PEOPLE: Final = _words("Marta Gustav Ingrid Dmitri Naomi Hector Amélie Oscar Petra Lionel")

COLORS: Final = _words("red blue green yellow black white orange purple pink brown grey gold")
ANIMALS: Final = _words(
    "cat dog cow horse sheep duck lion bird fish mouse frog bee wolf owl pig rabbit fox bear"
)
FOODS: Final = _words(
    "bread cheese rice soup pizza pasta apples tea coffee cake salad honey chocolate bananas"
)
JOBS: Final = _words("teacher doctor baker painter driver farmer singer writer nurse cook pilot judge")
DAYS: Final = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS: Final = _words(
    "January February March April May June July August September October November December"
)
CURRENCIES: Final = _words("EUR USD GBP CHF JPY SEK NOK CAD AUD PLN INR CNY BRL DKK")
LANGUAGES: Final = _words("French German Spanish English Italian Dutch Polish Greek Japanese Chinese Danish")

LEXICON: Final = _words(
    "the a my your our new old big small red blue green cold warm late early good bad quick slow quiet "
    "loud bright train car boat house garden river mountain street market school book letter parcel "
    "meeting dinner lunch coffee tea bread apple music song window door table lamp phone key report ticket "
    "number plan idea game story is are was will be has have can may must not and or but with for from in "
    "on at to of by near after before today tomorrow tonight now soon again always never here there ready "
    "open closed lost found done free bring call meet send read write buy make take leave wait come go see "
    "know think like want need start stop happy summer winter spring autumn morning evening noon night "
    "rain snow sun wind sea tree flower history best cheap near hotels recipes news flights museums "
    "weather science learning python football films"
)
NUMBER_WORDS: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen"
)
VERBS: Final = _words(
    "open close book find order delete create start stop play read buy paint clean lock check call show "
    "get update cancel print move rent fix count list"
)
THINGS: Final = _words(
    "door room table song file ticket lamp car book account taxi parcel page photo event user order flight "
    "hotel recipe price stock task alarm map window"
)
